/* Rotations of one body. Matrices are row-major: r[3 i + j]. */
#ifndef BRN_PHYS_ROTATION_H
#define BRN_PHYS_ROTATION_H

/* The rotation R of F = R S that is nearest to F (S symmetric, at most one of its eigenvalues negative). Any finite F. */
void brn_rotation_nearest(const double f[9], double r[9]);
/* Unit quaternion w, x, y, z of a rotation, one of the two. */
void brn_rotation_quaternion(const double r[9], double q[4]);

/* Angle in [0, pi] times axis. */
void brn_rotation_vector(const double r[9], double out[3]);

#endif
