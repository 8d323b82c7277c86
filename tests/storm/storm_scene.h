/* Scenes of everything that brunt knows, drawn at random: a number is a scene. */
#ifndef BRN_TESTS_STORM_STORM_SCENE_H
#define BRN_TESTS_STORM_STORM_SCENE_H

#include "draw.h"

enum { STORM_BODIES = 5, STORM_SAP_FROM = 10000, STORM_LAUNCH_FROM = 20000, STORM_ACM_FROM = 30000 };

typedef enum storm_method { STORM_NONE, STORM_IPC, STORM_SAP, STORM_BBI, STORM_ACM } storm_method;

/* What the judge must know of a scene beside its text. */
typedef struct storm_scene {
    char text[30000];
    /* nothing is crushed by its own weight, pressed flat, faster than sound or falls by its size in a step */
    bool tame;
    storm_method method;
    bool still;         /* static run */
    bool explicit_;     /* symplectic_euler */
    bool self;          /* bodies touch themselves */
    bool near;          /* parts are nearer at the start than the dhat that the scene gives */
    double loading;     /* [s] until when it seeks equilibrium, with gravity that grows; 0: never */
    double noise;       /* [J] below which energies are rounding */
    double depth;       /* [m] that bodies may be in each other */
    char welded[2][16]; /* names of bodies that are attached to each other */
} storm_scene;

/* Whether with its method nothing ever meets. */
static inline bool storm_promises(const storm_scene *scene)
{
    return scene->method == STORM_IPC || scene->method == STORM_ACM;
}

/* Numbers from STORM_ACM_FROM on are of acm; from STORM_LAUNCH_FROM on launches: most of bbi, with stages, clips, holds that are let go and loads that end; from
   STORM_SAP_FROM on of sap, and those below of none and ipc. */
void storm_draw(int number, storm_scene *out);

/* ---- for storm_scene.c, storm_shapes.c, storm_launch.c and storm_acm.c ------------------------------------------------------------- */

/* A body as far as its place is concerned: its box at rest in its own axes. */
typedef struct storm_part {
    double centre, box[3]; /* [m] height of the box's centre, edges */
    bool round;            /* turned, it is as high as before */
} storm_part;

typedef struct storm_draft {
    brn_rng rng;
    int dim;
    bool launches, asynchronous;                /* STORM_LAUNCH_FROM, STORM_ACM_FROM */
    double size, young, density, speed, h, end; /* [m], [Pa], [kg/m^3], [m/s], [s], [s] */
    char meshes[6000], bodies[6000], holds[3000], welds[600], loads[3000], springs[1000], stages[600];
} storm_draft;

/* The mesh m{number}, of about the size 2 r. */
storm_part storm_solid(storm_draft *d, int number, double r);
storm_part storm_sheet(storm_draft *d, int number, double r, bool closed);
/* A value of the key `shape`, added to the bodies. */
storm_part storm_shape(storm_draft *d, double r);
/* What a launch has beside other scenes. */
storm_part storm_clip(storm_draft *d, int number, double r);
const char *storm_launch_integrator(storm_draft *d, storm_scene *out);
void storm_launch_stages(storm_draft *d, storm_scene *out);
void storm_launch_method(storm_draft *d, char *to, size_t size);
/* The key of a hold that lets go, or of a load that ends; at the end of loading, if there is one. */
void storm_launch_ends(storm_draft *d, const storm_scene *scene, const char *key, char *to, size_t size);
/* What a scene of acm has beside others. */
void storm_acm_method(storm_draft *d, storm_scene *out);
/* "[x, y, z]" with a format for its numbers, in 2D without y. */
void storm_vector(const storm_draft *d, char *to, size_t size, double x, double y, double z);

#endif
