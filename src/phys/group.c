#include "phys/group.h"

#include "base/hash.h"

void brn_group_destroy(brn_element_group *group)
{
    if (group != NULL) {
        group->kind->destroy(group);
    }
}

int brn_group_grad_size(const brn_element_group *group)
{
    return brn_group_stencils(group).width * group->dim;
}

int brn_group_hess_size(const brn_element_group *group)
{
    const int width = brn_group_stencils(group).width;
    return width * (width + 1) / 2 * group->dim * group->dim;
}

double brn_group_volume(const brn_element_group *group, int element)
{
    return group->kind->volume != NULL ? group->kind->volume(group, element) : 0.0;
}

uint64_t brn_group_hash(const brn_element_group *group, uint64_t hash)
{
    const double numbers[] = {group->alpha, group->beta, group->density};
    hash = brn_hash_text(hash, group->kind->name);
    hash = brn_hash_bytes(hash, numbers, sizeof numbers);
    hash = brn_hash_bytes(hash, group->conn, (size_t)group->nelem * (size_t)group->nnode * sizeof(int));
    return group->kind->hash(group, hash);
}

brn_stencils brn_group_stencils(const brn_element_group *group)
{
    return group->patch != NULL ? (brn_stencils){group->npatch, group->patch_width, group->patch}
                                : brn_group_elements(group);
}

brn_stencils brn_group_elements(const brn_element_group *group)
{
    return (brn_stencils){group->nelem, group->nnode, group->conn};
}
