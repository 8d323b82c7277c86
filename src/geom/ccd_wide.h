/* Inside geom/: additive CCD in the widest arithmetic of the platform, for starts so close that double cannot tell that
   they are apart. Arguments as checked and scaled by ccd.c; 0 if the start is not certified here either. */
#ifndef BRN_GEOM_CCD_WIDE_H
#define BRN_GEOM_CCD_WIDE_H

double brn_ccd_wide(int shape, const double x0[][3], const double x1[][3], double dmin, double keep,
                    double t_max);

#endif
