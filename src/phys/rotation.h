/* Rotations of one body. Matrices are row-major: r[3 i + j]. */
#ifndef BRN_PHYS_ROTATION_H
#define BRN_PHYS_ROTATION_H

/* The rotation R of F = R S that is nearest to F (S symmetric, at most one of its eigenvalues negative). Any finite F. */
void brn_rotation_nearest(const double f[9], double r[9]);
/* Unit quaternion w, x, y, z of a rotation, one of the two. */
void brn_rotation_quaternion(const double r[9], double q[4]);
/* R - 1 of a unit quaternion: without the cancellation that R would have for a small turn. */
void brn_rotation_less_one(const double q[4], double t[9]);
/* out = (turn by the rotation vector w, angle times axis in the frame into which q turns) q, of unit length; may be q. */
void brn_rotation_turn(const double q[4], const double w[3], double out[4]);
/* Angle in [0, pi] times axis. */
void brn_rotation_vector(const double r[9], double out[3]);

#endif
