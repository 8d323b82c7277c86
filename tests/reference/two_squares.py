#!/usr/bin/env python3
"""Reference solution of the scene two-squares, written from its equations alone (numpy only).

Two soft squares fall on a ground and are pressed together by a ceiling that moves down. Each step of implicit Euler
minimises the incremental potential [Li, lecture 12 of 15-769, 2023; Li et al. 2020]

    E(x) = 1/2 (x - x~)' M (x - x~) + h^2 (W(x) + B(x) + D(x)),      x~ = x^n + h v^n + h^2 g

W  neo-Hookean triangles, W/area = mu/2 (tr F'F - 2) - mu ln J + lambda/2 ln^2 J, plane strain, unit thickness
B  barriers: node against plane      A dhat kappa/2 (s - 1) ln s,       s = d / dhat
             point against edge  1/2 A dhat kappa/8 (s - 1) ln s,       s = d^2 / dhat^2
D  lagged friction  mu lambda^n f0(|u|): u is the tangential relative displacement in the step; the normal force
   lambda = -dB/dd, the normal and the closest point are those of the start of the step

by Newton's method with element, barrier and friction Hessians made positive semidefinite one by one. A step along the
Newton direction is bounded so that no node reaches a plane or an edge and no triangle inverts.

The table is converged to 2e-12 m at all steps (other step bounds, exact Hessians); with a tolerance of 1e-6 m/s it is
reproduced to 6e-8 m at step 40 and 6e-7 m at step 100, and an initial error of 1e-9 m grows to 3e-9 m at step 100.

The program prints a table (variant, step, node, x, y) on standard output and its figures on standard error.
  two_squares.py                     the table two_squares.csv, tolerance 1e-12 m/s
  two_squares.py --check             compares all derivatives with finite differences
  two_squares.py --tolerance 1e-6    a looser stop, in m/s
  two_squares.py --exact-hessian     unprojected Hessians near the solution
  two_squares.py --against FILE      largest difference from another table, step by step, instead of the table
"""
import argparse
import sys

import numpy as np

# The scene, SI units.
SPACING = 0.225  # of the 3 x 3 nodes of a square [m]
SHIFT = np.array([0.045, -0.495])  # lower square = upper square + SHIFT
TRIANGLES = [[0, 3, 4], [0, 4, 1], [1, 4, 2], [4, 5, 2], [3, 6, 4], [6, 7, 4], [4, 7, 8], [4, 8, 5]]
YOUNG, POISSON = 1e5, 0.4
MASS = 22.5  # of every node [kg]
GRAVITY = np.array([0.0, -9.81])
H = 0.01  # time step [s]
GROUND_Y = -1.0
CEILING_Y, CEILING_SPEED, CEILING_END = 0.27, -0.5, -0.7
AREA = 0.225  # contact weight of every node [m] (unit thickness)
DHAT, KAPPA = 0.01, 1e5
FRICTION, EPS_V = 0.4, 1e-3

STEPS_WRITTEN = [1, 5, 10, 20, 30, 40, 60, 80, 100]
VARIANTS = {"ground-friction": 0.0, "self-friction": FRICTION}  # name: coefficient between and within the squares

KEEP_GAP = 0.1  # fraction of a gap (or area) that a bounded Newton step leaves at least
ENERGY_ROUNDING = 1e-12  # far above the rounding error of E (about 1e-15), far below its size [kg m^2]
MAX_NEWTON, MAX_HALVINGS, MAX_CCD = 200, 60, 10000

LAME_MU = YOUNG / (2 * (1 + POISSON))
LAME_LAMBDA = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
PLANE_SCALE = AREA * DHAT * KAPPA / 2
EDGE_SCALE = 0.5 * AREA * DHAT * KAPPA / 8


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def project_psd(hessians):
    """Nearest positive semidefinite matrices, shape [n][k][k]."""
    values, vectors = np.linalg.eigh(hessians)
    return np.einsum("nij,nj,nkj->nik", vectors, np.maximum(values, 0.0), vectors)


class Mesh:
    """Nodes, triangles, boundary, and all pairs of a boundary point with an edge it is not an end of."""

    def __init__(self):
        upper = np.array([[-SPACING + SPACING * i, -SPACING + SPACING * j] for i in range(3) for j in range(3)])
        self.rest = np.vstack([upper, upper + SHIFT])
        self.triangles = np.array(TRIANGLES + [[9 + node for node in tri] for tri in TRIANGLES])

        # An edge of the boundary is a directed triangle edge whose opposite no triangle has.
        directed = {(t[k], t[(k + 1) % 3]) for t in self.triangles.tolist() for k in range(3)}
        self.edges = np.array(sorted((a, b) for a, b in directed if (b, a) not in directed))
        points = np.unique(self.edges)
        self.pairs = np.array([[p, a, b] for p in points for a, b in self.edges if p not in (a, b)])

        # vec F = shape_gradient x_element with F = [x1 - x0, x2 - x0] [X1 - X0, X2 - X0]^-1, vec row by row.
        corners = self.rest[self.triangles]
        material = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
        self.areas = np.linalg.det(material) / 2
        inverse = np.linalg.inv(material)
        gradients = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)  # dN_a/dX_j, [n][3][2]
        self.shape_gradient = np.einsum("naj,ik->nijak", gradients, np.eye(2)).reshape(-1, 4, 6)


# ---- Terms of the potential. Each returns its energy, gradient [18][2] and element Hessians with their nodes. -----


def scatter(nodes, element_gradients, count):
    """Adds gradients of shape [n][k * 2] on nodes [n][k]."""
    total = np.zeros((count, 2))
    np.add.at(total, nodes, element_gradients.reshape(nodes.shape + (2,)))
    return total


def scatter_hessians(total, nodes, hessians):
    """Adds Hessians of shape [n][k * 2][k * 2] on nodes [n][k] to total, shape [36][36]."""
    dofs = (2 * nodes[:, :, None] + np.arange(2)).reshape(len(nodes), 2 * nodes.shape[1])
    np.add.at(total, (dofs[:, :, None], dofs[:, None, :]), hessians)


def signed_areas(mesh, x):
    corners = x[mesh.triangles]
    return cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2


def elasticity(mesh, x, derivatives=True):
    deformation = np.einsum("nij,nj->ni", mesh.shape_gradient, x[mesh.triangles].reshape(-1, 6)).reshape(-1, 2, 2)
    jacobian = np.linalg.det(deformation)
    if not (jacobian > 0).all():
        return np.inf, None, None
    log_j = np.log(jacobian)
    density = (LAME_MU / 2 * ((deformation**2).sum(axis=(1, 2)) - 2) - LAME_MU * log_j + LAME_LAMBDA / 2 * log_j**2)
    energy = (mesh.areas * density).sum()
    if not derivatives:
        return energy, None, None

    # P = mu (F - F^-T) + lambda ln J F^-T and its derivative by F.
    inverse = np.linalg.inv(deformation)
    inverse_t = inverse.transpose(0, 2, 1)
    stress = LAME_MU * (deformation - inverse_t) + LAME_LAMBDA * log_j[:, None, None] * inverse_t
    softening = LAME_MU - LAME_LAMBDA * log_j
    tangent = (LAME_MU * np.einsum("ik,jl->ijkl", np.eye(2), np.eye(2))[None]
               + softening[:, None, None, None, None] * np.einsum("njk,nli->nijkl", inverse, inverse)
               + LAME_LAMBDA * np.einsum("nji,nlk->nijkl", inverse, inverse)).reshape(-1, 4, 4)
    forces = mesh.areas[:, None] * np.einsum("nij,ni->nj", mesh.shape_gradient, stress.reshape(-1, 4))
    hessians = mesh.areas[:, None, None] * np.einsum("nia,nij,njb->nab", mesh.shape_gradient, tangent,
                                                     mesh.shape_gradient)
    return energy, scatter(mesh.triangles, forces, len(x)), (mesh.triangles, hessians)


def plane_gaps(x, ceiling):
    """Gaps of all nodes to the ground and to the ceiling, shape [2][18], and the normals' y."""
    return np.stack([x[:, 1] - GROUND_Y, ceiling - x[:, 1]]), np.array([1.0, -1.0])


def plane_barrier(x, ceiling, derivatives=True):
    gaps, normals = plane_gaps(x, ceiling)
    if not (gaps > 0).all():
        return np.inf, None, None
    s = np.minimum(gaps / DHAT, 1.0)
    energy = PLANE_SCALE * ((s - 1) * np.log(s)).sum()
    if not derivatives:
        return energy, None, None

    # s = 1 gives a zero slope, but the curvature of a node out of range has to be cleared.
    gradient = np.zeros_like(x)
    gradient[:, 1] = normals @ plane_slope(gaps)
    hessians = np.zeros((len(x), 2, 2))
    hessians[:, 1, 1] = np.where(s < 1, PLANE_SCALE / DHAT**2 * (1 / s + 1 / s**2), 0.0).sum(axis=0)
    return energy, gradient, (np.arange(len(x))[:, None], hessians)


def plane_slope(gaps):
    """Derivative of the plane barrier by the gap."""
    s = np.minimum(gaps / DHAT, 1.0)
    return PLANE_SCALE / DHAT * (np.log(s) + 1 - 1 / s)


def closest_on_edge(x, pairs):
    """Parameter of the closest point of the edge, squared distance, w = p - e0, e = e1 - e0."""
    w = x[pairs[:, 0]] - x[pairs[:, 1]]
    e = x[pairs[:, 2]] - x[pairs[:, 1]]
    r = np.clip((w * e).sum(axis=1) / (e * e).sum(axis=1), 0.0, 1.0)
    # Inside the edge the determinant is more accurate than the difference of two points.
    foot = w - r[:, None] * e
    squared = np.where((r > 0) & (r < 1), cross(e, w)**2 / (e * e).sum(axis=1), (foot * foot).sum(axis=1))
    return r, squared, w, e


def squared_distance_derivatives(r, w, e):
    """Gradient [n][6] and Hessian [n][6][6] of the squared point-edge distance by (p, e0, e1).

    In z = (w, e): |w|^2 before the edge, |w - e|^2 behind it, c^2 / L with c = e x w, L = e.e along it.
    """
    n = len(r)
    eye = np.eye(2)
    gradient = np.zeros((n, 4))
    hessian = np.zeros((n, 4, 4))

    before = r <= 0
    gradient[before, :2] = 2 * w[before]
    hessian[before, :2, :2] = 2 * eye

    behind = r >= 1
    gradient[behind] = 2 * np.hstack([w - e, e - w])[behind]
    hessian[behind] = 2 * np.block([[eye, -eye], [-eye, eye]])

    along = ~(before | behind)
    wa, ea = w[along], e[along]
    c, length = cross(ea, wa), (ea * ea).sum(axis=1)
    dc = np.stack([-ea[:, 1], ea[:, 0], wa[:, 1], -wa[:, 0]], axis=1)
    dl = np.hstack([np.zeros_like(ea), 2 * ea])
    ddc = np.zeros((4, 4))
    ddc[1, 2] = ddc[2, 1] = 1.0
    ddc[0, 3] = ddc[3, 0] = -1.0
    ddl = np.diag([0.0, 0.0, 2.0, 2.0])

    def outer(a, b):
        return a[:, :, None] * b[:, None, :]

    c1, l1 = c[:, None], length[:, None]
    c2, l2 = c[:, None, None], length[:, None, None]
    gradient[along] = 2 * c1 / l1 * dc - c1**2 / l1**2 * dl
    hessian[along] = (2 / l2 * outer(dc, dc) + 2 * c2 / l2 * ddc - 2 * c2 / l2**2 * (outer(dc, dl) + outer(dl, dc))
                      - c2**2 / l2**2 * ddl + 2 * c2**2 / l2**3 * outer(dl, dl))

    # dz / d(p, e0, e1)
    to_nodes = np.block([[eye, -eye, 0 * eye], [0 * eye, -eye, eye]])
    return gradient @ to_nodes, np.einsum("ia,nij,jb->nab", to_nodes, hessian, to_nodes)


def edge_slope(squared):
    """Derivative of the point-edge barrier by the squared distance."""
    s = np.minimum(squared / DHAT**2, 1.0)
    return EDGE_SCALE / DHAT**2 * (np.log(s) + 1 - 1 / s)


def edge_barrier(mesh, x, derivatives=True):
    r, squared, w, e = closest_on_edge(x, mesh.pairs)
    active = squared < DHAT**2
    squared, nodes = squared[active], mesh.pairs[active]
    if not (squared > 0).all():
        return np.inf, None, None
    s = squared / DHAT**2
    energy = EDGE_SCALE * ((s - 1) * np.log(s)).sum()
    if not derivatives:
        return energy, None, None

    distance_gradient, distance_hessian = squared_distance_derivatives(r[active], w[active], e[active])
    slope = edge_slope(squared)
    curvature = EDGE_SCALE / DHAT**4 * (1 / s + 1 / s**2)
    gradients = slope[:, None] * distance_gradient
    hessians = (slope[:, None, None] * distance_hessian
                + curvature[:, None, None] * distance_gradient[:, :, None] * distance_gradient[:, None, :])
    return energy, scatter(nodes, gradients, len(x)), (nodes, hessians)


class Friction:
    """Friction potentials lagged at a state x^n: what is kept is mu lambda, the tangent and the closest point."""

    def __init__(self, mesh, x, self_coefficient):
        self.start = x.copy()

        # Ground: the tangent is the x axis. Stored as a pair whose two other nodes have no weight.
        gaps = plane_gaps(x, np.inf)[0][0]
        touching = np.flatnonzero(gaps < DHAT)
        nodes = [np.stack([touching] * 3, axis=1)]
        limits = [-FRICTION * plane_slope(gaps[touching])]
        tangents = [np.tile([1.0, 0.0], (len(touching), 1))]
        weights = [np.tile([1.0, 0.0, 0.0], (len(touching), 1))]

        # Squares: lambda = -dB/dd = -dB/d(d^2) 2 d, tangent across the line from the closest point to the point.
        if self_coefficient > 0:
            r, squared, w, e = closest_on_edge(x, mesh.pairs)
            active = squared < DHAT**2
            r, squared, w, e = r[active], squared[active], w[active], e[active]
            distance = np.sqrt(squared)
            normal = w - r[:, None] * e
            normal /= np.linalg.norm(normal, axis=1, keepdims=True)
            nodes.append(mesh.pairs[active])
            limits.append(-self_coefficient * edge_slope(squared) * 2 * distance)
            tangents.append(np.stack([-normal[:, 1], normal[:, 0]], axis=1))
            weights.append(np.stack([np.ones_like(r), r - 1, -r], axis=1))

        self.nodes = np.concatenate(nodes)
        self.limits = np.concatenate(limits)  # mu lambda [N]
        # u = slide . (x - x^n), a scalar: the tangent space has one dimension.
        self.slide = (np.concatenate(weights)[:, :, None] * np.concatenate(tangents)[:, None, :]).reshape(-1, 6)

    def evaluate(self, x, derivatives=True):
        """f0(y) = y beyond y0 = eps_v h, -y^3 / (3 y0^2) + y^2 / y0 + y0 / 3 below: f0'' >= 0, so the Hessian of
        a one-dimensional tangent space needs no projection."""
        y0 = EPS_V * H
        u = np.einsum("ni,ni->n", self.slide, (x - self.start)[self.nodes].reshape(-1, 6))
        y = np.abs(u)
        sticks = y < y0
        energy = (self.limits * np.where(sticks, -y**3 / (3 * y0**2) + y**2 / y0 + y0 / 3, y)).sum()
        if not derivatives:
            return energy, None, None
        first = np.sign(u) * np.where(sticks, -y**2 / y0**2 + 2 * y / y0, 1.0)
        second = np.where(sticks, 2 / y0 - 2 * y / y0**2, 0.0)
        gradients = (self.limits * first)[:, None] * self.slide
        hessians = (self.limits * second)[:, None, None] * self.slide[:, :, None] * self.slide[:, None, :]
        return energy, scatter(self.nodes, gradients, len(x)), (self.nodes, hessians)


class Step:
    """Incremental potential of one step for a place of the ceiling."""

    def __init__(self, mesh, x, v, self_coefficient):
        self.mesh = mesh
        self.target = x + H * v + H**2 * GRAVITY
        self.friction = Friction(mesh, x, self_coefficient)

    def terms(self, x, ceiling, derivatives):
        return [elasticity(self.mesh, x, derivatives), plane_barrier(x, ceiling, derivatives),
                edge_barrier(self.mesh, x, derivatives), self.friction.evaluate(x, derivatives)]

    def energy(self, x, ceiling):
        potential = sum(term[0] for term in self.terms(x, ceiling, False))
        return MASS / 2 * ((x - self.target)**2).sum() + H**2 * potential

    def derivatives(self, x, ceiling, projected=True):
        """Gradient [36] and dense Hessian [36][36]."""
        gradient = MASS * (x - self.target)
        hessian = MASS * np.eye(x.size)
        for _, term_gradient, (nodes, hessians) in self.terms(x, ceiling, True):
            gradient += H**2 * term_gradient
            if projected:
                hessians = project_psd(hessians)
            scatter_hessians(hessian, nodes, H**2 * hessians)
        return gradient.ravel(), hessian


# ---- Bounds of a Newton step: a fraction in (0, 1] of the direction p that leaves KEEP_GAP of everything. -----


def plane_bound(x, p, ceiling):
    gaps, normals = plane_gaps(x, ceiling)
    speeds = -normals[:, None] * p[:, 1]
    closing = speeds > 0
    return min(1.0, ((1 - KEEP_GAP) * gaps[closing] / speeds[closing]).min(initial=1.0))


def inversion_bound(mesh, x, p):
    """First t with area(x + t p) = KEEP_GAP area(x): roots of one quadratic a triangle, taken a little short."""
    corners, moves = x[mesh.triangles], p[mesh.triangles]
    e1, e2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    d1, d2 = moves[:, 1] - moves[:, 0], moves[:, 2] - moves[:, 0]
    bound = 1.0
    for a, b, c in zip(cross(d1, d2), cross(e1, d2) + cross(d1, e2), (1 - KEEP_GAP) * cross(e1, e2)):
        for root in np.roots([a, b, c]):
            if abs(root.imag) <= 1e-9 * abs(root) and root.real > 0:
                bound = min(bound, 0.999 * root.real)
    return bound


def edge_bound(mesh, x, p):
    """Additive continuous collision detection [Li et al. 2021] of all point-edge pairs at once.

    In a time dt the distance d of a pair falls by dt speed at most, so dt = (d - KEEP_GAP d0) / speed is always safe;
    a pair is advanced by such times until it has used the step or is near its smallest allowed distance.
    """
    points, moves = x[mesh.pairs], p[mesh.pairs]
    moves = moves - moves.mean(axis=1, keepdims=True)
    size = np.linalg.norm(moves, axis=2)
    speed = size[:, 0] + np.maximum(size[:, 1], size[:, 2])

    def distance(t):
        at = points + t[:, None, None] * moves
        own_index = np.arange(3 * len(at)).reshape(-1, 3)
        return np.sqrt(closest_on_edge(at.reshape(-1, 2), own_index)[1])

    # Most pairs cannot meet in this step at all.
    time = np.zeros(len(speed))
    start = distance(time)
    near = (1 - KEEP_GAP) * start < speed
    points, moves, speed, start, time = points[near], moves[near], speed[near], start[near], time[near]
    if not len(time):
        return 1.0
    running = np.ones(len(time), dtype=bool)
    for _ in range(MAX_CCD):
        room = distance(time) - KEEP_GAP * start
        running &= (room > 0.01 * start) & (time < 1.0)
        if not running.any():
            return min(1.0, time.min())
        time = np.where(running, time + room / speed, time)
    raise RuntimeError("continuous collision detection did not end")


# ---- Time stepping. -----


def newton_direction(step, x, ceiling, allow_exact):
    """-(projected Hessian)^-1 gradient; near the solution the exact Hessian if it is asked for and definite."""
    gradient, hessian = step.derivatives(x, ceiling)
    p = -np.linalg.solve(hessian, gradient)
    if allow_exact and np.abs(p).max() / H < 1e-2:
        exact = step.derivatives(x, ceiling, projected=False)[1]
        if np.linalg.eigvalsh(exact)[0] > 1e-3 * MASS:
            p = -np.linalg.solve(exact, gradient)
    return p.reshape(-1, 2)


def line_search(step, x, p, ceiling, alpha):
    """Halves alpha until the energy falls. Where the fall to expect is lost in the energy's rounding, the slope
    along p decides: it must not grow in size, which in a convex neighbourhood means the same."""
    slope = np.vdot(step.derivatives(x, ceiling)[0], p)
    by_slope = -slope < ENERGY_ROUNDING
    energy = step.energy(x, ceiling)
    for _ in range(MAX_HALVINGS):
        moved = x + alpha * p
        if by_slope:
            falls = abs(np.vdot(step.derivatives(moved, ceiling)[0], p)) <= abs(slope)
        else:
            falls = step.energy(moved, ceiling) <= energy
        if falls:
            return alpha
        alpha /= 2
    raise RuntimeError("line search failed")


def minimise(step, x, ceiling, ceiling_end, tolerance, allow_exact):
    """Newton's method from x with the ceiling on its way to its end. Returns x and the number of iterations."""
    x = x.copy()
    for iteration in range(MAX_NEWTON):
        # Bring the ceiling on as far as the nodes leave room for it; it is in place after a few iterations.
        nearest = x[:, 1].max()
        if ceiling > ceiling_end:
            ceiling = max(ceiling_end, ceiling - 0.8 * (ceiling - nearest))

        p = newton_direction(step, x, ceiling, allow_exact)
        if ceiling == ceiling_end and np.abs(p).max() / H < tolerance:
            return x, iteration

        alpha = min(plane_bound(x, p, ceiling), inversion_bound(step.mesh, x, p), edge_bound(step.mesh, x, p))
        x = x + line_search(step, x, p, ceiling, alpha) * p
    raise RuntimeError("Newton's method did not converge")


def check_state(mesh, x, ceiling):
    """No two edges cross, no triangle is inverted, all nodes lie between the planes. Returns the smallest gaps to a
    plane and to an edge."""
    a, b = x[mesh.edges[:, 0]], x[mesh.edges[:, 1]]
    for i, (first, second) in enumerate(mesh.edges):
        for j in range(i):
            if {first, second} & set(mesh.edges[j]):
                continue
            apart_i = cross(b[i] - a[i], a[j] - a[i]) * cross(b[i] - a[i], b[j] - a[i]) > 0
            apart_j = cross(b[j] - a[j], a[i] - a[j]) * cross(b[j] - a[j], b[i] - a[j]) > 0
            assert apart_i or apart_j, f"edges {mesh.edges[i]} and {mesh.edges[j]} cross"
    gaps = plane_gaps(x, ceiling)[0]
    assert (signed_areas(mesh, x) > 0).all() and (gaps > 0).all()
    return gaps.min(), np.sqrt(closest_on_edge(x, mesh.pairs)[1].min())


def simulate(mesh, name, steps, tolerance, allow_exact):
    """Positions after each step, shape [steps][18][2]."""
    x, v, ceiling = mesh.rest.copy(), np.zeros_like(mesh.rest), CEILING_Y
    path, iterations, gaps = [], [], []
    for n in range(1, steps + 1):
        ceiling_end = max(CEILING_Y + CEILING_SPEED * n * H, CEILING_END)
        new, count = minimise(Step(mesh, x, v, VARIANTS[name]), x, ceiling, ceiling_end, tolerance, allow_exact)
        x, v, ceiling = new, (new - x) / H, ceiling_end
        path.append(x)
        iterations.append(count)
        gaps.append(check_state(mesh, x, ceiling))
    planes, edges = np.min(gaps, axis=0)
    print(f"{name}: {np.mean(iterations):.2f} Newton iterations a step, at most {max(iterations)} (step "
          f"{np.argmax(iterations) + 1}); smallest gap to a plane {planes:.6g} m (step "
          f"{np.argmin(gaps, axis=0)[0] + 1}), point to edge {edges:.6g} m (step {np.argmin(gaps, axis=0)[1] + 1})",
          file=sys.stderr)
    return np.array(path)


# ---- Checks and output. -----


def check_derivatives(mesh):
    """Every gradient and Hessian against central differences, in states that reach all branches."""
    rng = np.random.default_rng(1)
    worst = {}
    for trial in range(20):
        # The squares brought to within dhat of each other, of the ground and of the ceiling, then shaken; the shift
        # makes points face the inside of edges, an even trial puts corners opposite to one another.
        x = mesh.rest.copy()
        x[9:] += [0.0 if trial % 2 else -0.045 + SPACING * 2 * (trial % 4 == 2), 0.045 - 0.006]
        x += 0.002 * rng.uniform(-1, 1, x.shape)
        x[:, 1] += GROUND_Y + 0.003 - x[:, 1].min()
        ceiling = x[:, 1].max() + 0.003
        step = Step(mesh, x, np.zeros_like(x), FRICTION)
        x = x + 0.8 * EPS_V * H * rng.uniform(-1, 1, x.shape)  # some contacts stick, some slip
        parts = {"elastic": lambda y, d: elasticity(mesh, y, d), "plane": lambda y, d: plane_barrier(y, ceiling, d),
                 "edge": lambda y, d: edge_barrier(mesh, y, d), "friction": step.friction.evaluate}
        for name, part in parts.items():
            worst[name] = np.maximum(worst.get(name, 0.0), compare_with_differences(name, part, x))
    for name, (gradient, hessian) in worst.items():
        print(f"{name}: largest relative error of the gradient {gradient:.1e}, of the Hessian {hessian:.1e}",
              file=sys.stderr)


def compare_with_differences(name, part, x):
    # Steps far below eps_v h = 1e-5 and below the shortest gap, far above rounding.
    width = 1e-8
    _, gradient, (nodes, hessians) = part(x, True)
    hessian = np.zeros((x.size, x.size))
    scatter_hessians(hessian, nodes, hessians)
    numeric_gradient, numeric_hessian = np.zeros(x.size), np.zeros((x.size, x.size))
    for k in range(x.size):
        move = np.zeros(x.size)
        move[k] = width
        up, down = x + move.reshape(x.shape), x - move.reshape(x.shape)
        numeric_gradient[k] = (part(up, False)[0] - part(down, False)[0]) / (2 * width)
        numeric_hessian[k] = (part(up, True)[1] - part(down, True)[1]).ravel() / (2 * width)
    error = (np.abs(numeric_gradient - gradient.ravel()).max() / np.abs(gradient).max(),
             np.abs(numeric_hessian - hessian).max() / np.abs(hessian).max())
    # Rounding of the energy over the width limits the first, a change of branch inside the width the second.
    assert error[0] < 1e-5 and error[1] < 1e-5, f"{name}: {error}"
    return error


def write_table(paths, steps, out):
    out.write("variant,step,node,x,y\n")
    for name, path in paths.items():
        for n in (n for n in STEPS_WRITTEN if n <= steps):
            for node, (px, py) in enumerate(path[n - 1]):
                out.write(f"{name},{n},{node},{px:.12f},{py:.12f}\n")


def compare_table(paths, steps, file_name):
    largest = {}
    with open(file_name, encoding="ascii") as file:
        for line in file.readlines()[1:]:
            name, n, node, px, py = line.split(",")
            if int(n) <= steps:
                difference = np.abs(paths[name][int(n) - 1][int(node)] - [float(px), float(py)]).max()
                largest[name, int(n)] = max(largest.get((name, int(n)), 0.0), difference)
    for (name, n), difference in largest.items():
        print(f"{name},{n},{difference:.3e}")


def main():
    parser = argparse.ArgumentParser(description="Reference solution of the scene two-squares")
    parser.add_argument("--tolerance", type=float, default=1e-12, help="stop when max|p|/h is below [m/s]")
    parser.add_argument("--exact-hessian", action="store_true", help="unprojected Hessians near the solution")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--check", action="store_true", help="compare derivatives with finite differences")
    parser.add_argument("--against", metavar="FILE", help="print the differences from this table")
    args = parser.parse_args()

    mesh = Mesh()
    if args.check:
        check_derivatives(mesh)
        return
    paths = {name: simulate(mesh, name, args.steps, args.tolerance, args.exact_hessian) for name in VARIANTS}
    if args.against:
        compare_table(paths, args.steps, args.against)
    else:
        write_table(paths, args.steps, sys.stdout)


if __name__ == "__main__":
    main()
