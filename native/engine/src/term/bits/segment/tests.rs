use super::*;

#[test]
fn every_half_float_comes_back() {
    for bits in 0..=u16::MAX {
        let float = half_to_f64(bits);
        if bits >> 10 & 0x1f != 31 {
            assert_eq!(float_bits(float, 16), Some(u64::from(bits)), "{bits:x} {float}");
        }
    }
}

#[test]
fn half_floats_round_to_even() {
    for (float, bits) in [(2049.0, 0x6800), (2051.0, 0x6802), (65519.0, 0x7bff), (65520.0, 0x7c00), (2f64.powi(-25), 0)]
    {
        assert_eq!(float_bits(float, 16), Some(bits), "{float}");
    }
}

#[test]
fn every_character_comes_back_in_every_form() {
    let codes =
        (0..0x11_0000).step_by(97).chain([0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x1_0000, 0x10_ffff]);
    for character in codes.filter_map(char::from_u32) {
        for kind in [Kind::Utf8, Kind::Utf16, Kind::Utf32] {
            for endian in [Endian::Big, Endian::Little] {
                let (bits, size) = character_bits(character, kind, endian);
                let mut heap = Heap::new(crate::term::Literals::default());
                let value = heap.binary(bits.to_be_bytes().get(8 - size / 8..).unwrap_or(&[]));
                let read = super::character(&heap, heap.bits_of(value), kind, endian);
                assert_eq!(read, Some((character, size)));
            }
        }
    }
}
