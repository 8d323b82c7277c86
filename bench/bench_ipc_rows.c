/* Gallery scenes against the 2020 reference code of incremental potential contact. Its figures were measured on a machine
   like that of docs/performance.md (idle, the same stopping test, seconds per step); those of the arch and of the mat of
   59 000 tets are the published ones (4 cores of 2020, MKL). Our box generator cuts a cell into five tets, the reference's
   mats have six: the rows use cells that give as many tets, hence more nodes. */
#include "bench_ipc.h"

/* max |p| / h < 1e-2 of the model's size, the reference's own stopping test */
#define LOOSE "method.tolerance=1e-2"
/* and its friction */
#define ONE_LAG "method.friction_iterations=1"

/* The scene with as many cells a side and half its step: from the first touch on, so that a run takes seconds. */
#define CLOTH(cells)                                        \
 .scene = "drape", .window = BRN_WINDOW_IMPACT, .steps = 6, \
 .sets = {"meshes.cloth.grid.cells=[" cells "," cells "]", "time.step=0.01"}

/* Sheets that lie close to each other from the start on, so that contacts grow with their number: the first steps, in which the
   stack comes to rest. */
#define STACK(count)                                                                           \
 .scene = "cloth-stack", .steps = 4,                                                           \
 .sets = {"bodies[0].repeat.count=" count, "bodies[0].repeat.spacing=[0,0,0.0024]",            \
          "bodies[0].position=[0,0,0.0016]", "bodies[0].repeat.jitter.position=[0.01,0.01,0]", \
          "bodies[0].repeat.jitter.rotation=0"}

#define ROW(suffix, ...)                             \
 brn_status brn_bench_ipc_##suffix(brn_bench *bench) \
 {                                                   \
  static const brn_ipc_row row = {__VA_ARGS__};      \
  return brn_bench_ipc_measure(bench, &row);         \
 }

/* clang-format off */
ROW(two_squares, .scene = "two-squares", .steps = 100, .wall = {0.1, 0.1}, .goal = 1000.0)

ROW(cube_stack, .scene = "cube-stack",
    .sets = {LOOSE, "meshes.cube.box.cells=[1,1,1]", "meshes.plate.box.cells=[1,1,1]"},
    .steps = 150, .wall = {0.0047, 0.0047}, .iterations = 3.25, .goal = 4.0)

ROW(cube_stack_fine, .scene = "cube-stack", .sets = {LOOSE}, .steps = 150)

ROW(chain, .scene = "chain", .sets = {LOOSE, "meshes.ring.torus.around=26"},
    .steps = 100, .wall = {0.44, 0.32}, .iterations = 5.3, .goal = 4.0)

ROW(arch, .scene = "arch", .file = "catenary.yaml", .sets = {LOOSE, ONE_LAG}, .steps = 100, .wall = {0.0, 0.05}, .iterations = 16.0)

/* The loose test lets blocks of 2 m move by 10 mm a step while dhat is 1 um. */
ROW(arch_tight, .scene = "arch", .file = "catenary.yaml", .sets = {ONE_LAG}, .steps = 100, .wall = {0.0, 0.05}, .iterations = 16.0)

ROW(mat_twist, .scene = "mat-twist", .sets = {LOOSE, "meshes.mat.box.cells=[43,43,1]"},
    .steps = 15, .wall = {1.08, 0.63}, .iterations = 3.5, .goal = 4.0)

ROW(mat_twist_60, .scene = "mat-twist", .sets = {LOOSE, "meshes.mat.box.cells=[43,43,1]", "time.end=2.4"},
    .steps = 60, .cpu = 2.3, .iterations = 6.0, .goal = 4.0)

ROW(mat_twist_59k, .scene = "mat-twist", .sets = {LOOSE, "meshes.mat.box.cells=[109,109,1]"},
    .steps = 15, .wall = {0.0, 9.6})

ROW(ball_on_mat, .scene = "ball-on-mat",
    .sets = {LOOSE, "meshes.mat.box.cells=[44,44,1]", "bodies.ball.position=[0,0,1.0]", "bodies.ball.velocity=[0,0,0]"},
    .window = BRN_WINDOW_FREE, .steps = 15, .cpu = 1.6, .iterations = 4.0, .goal = 4.0)

ROW(squeeze, .scene = "squeeze",
    .sets = {LOOSE, "meshes.ball.sphere.resolution=0.0098", "bodies.ball.position=[0,0,0.24]", "bodies.ram.position=[0,0,0.8]"},
    .window = BRN_WINDOW_FREE, .steps = 15, .cpu = 3.0, .iterations = 3.7, .goal = 4.0)

ROW(rollers, .scene = "rollers", .sets = {LOOSE}, .steps = 30, .cpu = 3.6, .iterations = 16.0, .goal = 4.0)

ROW(needles, .scene = "needles", .sets = {LOOSE, "meshes.mat.box.cells=[43,43,1]"},
    .window = BRN_WINDOW_IMPACT, .steps = 5, .cpu = 13.8, .iterations = 29.0, .goal = 4.0)

/* No reference, but two sizes: how the time grows. */
ROW(cloth_5k, CLOTH("50"))

ROW(cloth_20k, CLOTH("100"))

ROW(stack_10, STACK("10"))

ROW(stack_20, STACK("20"))

ROW(stack_40, STACK("40"))
/* clang-format on */
