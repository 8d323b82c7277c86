#!/bin/sh
# brunt cone: what it prints, files written and compared, wrong files and options. Usage: test_cone.sh SOURCE_DIR BRUNT
. "$1/tests/lib.sh"
brunt=$2
cd "$scratch" || exit 1

# A body of 2 kg on two points: approaches at 0.1 m/s, slides at 0.3 m/s; friction takes 0.5 x 0.2 N s.
cat >sliding.dat <<'END'
2
2
0
4 4
4 4
0.5 0 0.5 0
0 0.5 0 0.5
0.5 0 0.5 0
0 0.5 0 0.5
-0.1 0.3 -0.1 0.3
0.5 0.5
END
expect 0 "$brunt" cone sliding.dat
says stdout "contacts        2 in 2D, 4 blocks of W"
says stdout "1 sliding"
says stdout "normal impulse  0.2 N s in all"
says stdout "penetration     0         m/s"
silent stderr

# ---- written, read, compared ----------------------------------------------------------------------------------------------
expect 2 "$brunt" cone sliding.dat --compare
says stderr "sliding.dat has no solution to compare with"
expect 0 "$brunt" cone sliding.dat --out solved.dat
says stdout "written         solved.dat"
expect 0 "$brunt" cone solved.dat --compare
says stdout "compared        0 N s, 0 m/s"
expect 1 "$brunt" cone sliding.dat --out no/such/folder.dat
says stderr "no/such/folder.dat"

# ---- no solution: walls that press from both sides ---------------------------------------------------------------------------
cat >pressed.dat <<'END'
2 2 0  4 4 4 4
1 0 -1 0   0 1 0 -1   -1 0 1 0   0 -1 0 1
-1 0 -1 0
0.5 0.5
END
expect 1 "$brunt" cone pressed.dat --out best.dat
says stdout "penetration     1"
says stderr "there may be no solution"
[ -s best.dat ] || fail "the best that was found is not written"

# ---- wrong files and options -----------------------------------------------------------------------------------------------
expect 2 "$brunt" cone
expect 2 "$brunt" cone absent.dat
says stderr "absent.dat"
expect 2 "$brunt" cone /dev/zero
echo "3 1 0 3 3 3 x" >bad.dat
expect 2 "$brunt" cone bad.dat
says stderr "bad.dat:1: expected the number of columns of W"
for tolerance in 0 -1 1 x nan 1e-8x ""; do
    expect 2 "$brunt" cone sliding.dat --tolerance "$tolerance"
    says stderr "must be a number above 0 and below 1"
done
expect 0 "$brunt" cone sliding.dat --tolerance 1e-12 --newton 0 --sweeps 100
expect 2 "$brunt" cone sliding.dat --sweeps 0
finish
