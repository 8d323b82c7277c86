/* Facets between points of a round surface cut it off: a coarse ball is lighter than the ball. Its points stay where the scene
   says they are, because a body is placed by its radius and would otherwise start inside of what it lies on, and its
   density stays what the scene says; that its weight is less is told. */
#include "model/builder.h"
#include "model/mesh_source.h"

#include <math.h>

static const double TOLD_FROM = 0.03; /* of the volume */

/* Has the body its mass from its mesh? */
static bool weighs_by_mesh(const brn_variant *def)
{
    const brn_rigid_def *rigid = def->value;
    return def->table == &brn_deformable_table ||
           (def->table == &brn_rigid_table && isnan(rigid->mass) && rigid->shape.table == NULL);
}

static double exact_volume(const brn_mesh_def *mesh, int dim)
{
    const brn_generator *generator =
        mesh->generator.table != NULL ? brn_generator_of_table(mesh->generator.table) : NULL;
    if (generator == NULL || generator->volume == NULL) {
        return NAN;
    }
    double volume = generator->volume(mesh->generator.value);
    for (int i = 0; i < dim && mesh->scale.count > 0; ++i) {
        volume *= fabs(mesh->scale.v[i < mesh->scale.count ? i : 0]);
    }
    return volume;
}

void brn_builder_tell_round(const brn_builder *b)
{
    const brn_mesh_def *mesh = b->def->meshes.items;
    for (int m = 0; m < b->def->meshes.count; ++m) {
        const double exact = exact_volume(&mesh[m], b->model->dim);
        for (int i = 0; i < b->model->nbody; ++i) {
            const double missing = 1.0 - b->model->body[i].volume / exact;
            if (b->body_mesh[i] == b->mesh[m] && b->mesh[m] != NULL &&
                weighs_by_mesh(brn_builder_def(b, i)) && missing > TOLD_FROM) {
                brn_log(b->ctx, BRN_LOG_WARNING,
                        "%s: facets cut %.3g %% of the volume off, so body '%s' is that much lighter than "
                        "the round "
                        "one; finer or quadratic cells are closer, %.4g times the density makes up for it",
                        mesh[m].block.path, 100.0 * missing, b->model->body[i].name, 1.0 / (1.0 - missing));
                break; /* once a mesh */
            }
        }
    }
}
