; m:f/1, the path
; decision 3
; answer: sat
; x0 = [1|<<>>]
; atom -1073741824: false
; atom 0: true
(set-info :status sat)
(declare-datatypes ((Elems 0)
    (Term 0)) (((enil) (econs (ehd Term) (etl Elems)))
   ((int (i Int)) (flt (r Real)) (atom (a Int)) (nil) (cons (hd Term) (tl Term)) (tup (elems Elems)) (bits (bits_id Int)) (map (map_id Int)) (fun (fun_id Int)) (reference (reference_id Int)) (port (port_id Int)) (pid (pid_id Int)))))
(declare-fun x0 () Term)
(assert
 (let ((?x1 (hd x0)))
(let ((?x2 (i ?x1)))
(let (($x3 (< 0 ?x2)))
(let (($x4 ((_ is int ) ?x1)))
(let (($x5 ((_ is cons ) x0)))
(and $x5 $x4 $x3)))))))
(check-sat)
