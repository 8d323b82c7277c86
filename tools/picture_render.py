"""Software renderer of tools/picture: triangles and half-spaces under a soft sun and an overcast sky.

A z-buffer in numpy keeps number and depth of the nearest triangle; everything else (normal, colour, lines of the mesh)
is derived from the position that a pixel sees. Light comes from many directions, each with its own shadow map. Samples
of a pixel are passes with shifted pixel centres, and every pass has other lights, so that shadows come out soft.
"""
import numpy as np

NEAR = 1e-3          # of the camera's distance: nothing nearer is drawn
BATCH = 4_000_000    # fragments that are looked at together, bounds the memory
MAP = 448            # pixels across a shadow map
LIGHTS = 20          # a pass: SUN of the sun, the others of the sky
SUN = 6
LINE = 0.62          # half width of a line of the mesh [pixels]


def unit(v):
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300)


def spread(n, first):
    """n points of the unit square, evenly spread together with those of other `first` (Roberts' R2 sequence)."""
    k = np.arange(first, first + n)[:, None] + 0.5
    return np.mod(k * np.array([0.7548776662466927, 0.5698402909980532]), 1.0)


def linear(rgb):
    """sRGB in 0..1 to linear light."""
    rgb = np.asarray(rgb, float)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def linear_to_srgb(light):
    light = np.maximum(light, 0.0)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def display(light):
    """Linear light to sRGB; the brightest tones are bent below white."""
    return linear_to_srgb(np.where(light > 0.7, 0.7 + 0.3 * np.tanh((light - 0.7) / 0.3), light))


# ---- camera --------------------------------------------------------------------------------------------------------
class Camera:
    """Perspective, from azimuth and elevation [degrees] in x-y-z with z up, so near that all points just fit."""

    def __init__(self, points, view, size, field=22.0, margin=0.06, zoom=1.0):
        az, el = np.radians(view)
        back = np.array([np.cos(el) * np.cos(az), np.cos(el) * np.sin(az), np.sin(el)])
        right = np.array([-np.sin(az), np.cos(az), 0.0])
        self.axes = np.array([right, np.cross(back, right), -back])     # right, up, ahead
        self.size = size
        half = np.tan(np.radians(field) / 2) * np.array([size[0], size[1]]) / max(size)
        fit = half * (1 - 2 * margin)
        local = points @ self.axes.T
        # Each side of the frustum touches a point: x - cx <= t (z + d) and cx - x <= t (z + d), likewise y.
        centre, distance = np.zeros(2), 0.0
        for k in range(2):
            a = np.max(local[:, k] - fit[k] * local[:, 2])
            b = np.max(-local[:, k] - fit[k] * local[:, 2])
            centre[k] = (a - b) / 2
            distance = max(distance, (a + b) / (2 * fit[k]))
        middle = (local[:, 2].min() + local[:, 2].max()) / 2
        self.depth = (distance + middle) / zoom      # of the middle of the scene
        self.eye = np.array([centre[0], centre[1], middle - self.depth]) @ self.axes
        self.half = half
        self.pixel = 2 * half[0] / size[0]           # width of a pixel at depth 1
        self.centre = (points.min(axis=0) + points.max(axis=0)) / 2
        self.radius = 1.1 * np.linalg.norm(points - self.centre, axis=1).max()

    def project(self, points):
        return (points - self.eye) @ self.axes.T

    def screen(self, local):
        """Camera coordinates to pixels (y down) and 1 / depth."""
        inverse = 1.0 / local[:, 2]
        x = (local[:, 0] * inverse / self.half[0] + 1) * 0.5 * self.size[0]
        y = (1 - local[:, 1] * inverse / self.half[1]) * 0.5 * self.size[1]
        return np.stack([x, y, inverse], axis=1)

    def rays(self, shift):
        """Direction through every pixel, its component ahead 1: [h][w][3]."""
        x = ((np.arange(self.size[0]) + shift[0]) / self.size[0] * 2 - 1) * self.half[0]
        y = (1 - (np.arange(self.size[1]) + shift[1]) / self.size[1] * 2) * self.half[1]
        local = np.stack(np.broadcast_arrays(x[None, :], y[:, None], 1.0), axis=-1)
        return local @ self.axes


def clip_near(local, near):
    """Triangles [n][3][3] in camera coordinates, cut at depth `near`; and the number of the triangle of each."""
    ahead = local[:, :, 2] > near
    whole = np.flatnonzero(ahead.all(axis=1))
    parts, number = [local[whole]], [whole]
    for t in np.flatnonzero(ahead.any(axis=1) & ~ahead.all(axis=1)):
        polygon = []
        for a, b in ((0, 1), (1, 2), (2, 0)):
            p, q = local[t, a], local[t, b]
            if ahead[t, a]:
                polygon.append(p)
            if ahead[t, a] != ahead[t, b]:
                polygon.append(p + (q - p) * ((near - p[2]) / (q[2] - p[2])))
        for k in range(1, len(polygon) - 1):
            parts.append(np.array([[polygon[0], polygon[k], polygon[k + 1]]]))
            number.append(np.array([t]))
    return np.concatenate(parts), np.concatenate(number)


# ---- z-buffer ------------------------------------------------------------------------------------------------------
def ramps(count):
    """0..count[0]-1, 0..count[1]-1, ... in one array, and which of them each number belongs to."""
    owner = np.repeat(np.arange(len(count)), count)
    return np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count), owner


def row_spans(xy, size):
    """Pixels of every row that every triangle [n][3][x, y] covers: triangle, row, first pixel, number of pixels."""
    width, height = size
    low = np.clip(np.ceil(xy[:, :, 1].min(axis=1)), 0, height).astype(int)
    high = np.clip(np.floor(xy[:, :, 1].max(axis=1)) + 1, 0, height).astype(int)
    k, t = ramps(np.maximum(high - low, 0))
    y = low[t] + k
    left, right = np.zeros(len(t)), np.full(len(t), width - 1.0)
    e1, e2 = xy[:, 1] - xy[:, 0], xy[:, 2] - xy[:, 0]
    turn = np.sign(e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0])
    for i in range(3):
        # Inside of an edge from p: a (x - px) + b (y - py) >= 0. The slack closes the seam between neighbours.
        p, d = xy[:, i], (xy[:, (i + 1) % 3] - xy[:, i]) * turn[:, None]
        a, rest = -d[t, 1], d[t, 0] * (y - p[t, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            x = p[t, 0] - rest / a
        left = np.where(a > 0, np.maximum(left, x - 1e-7), left)
        right = np.where(a < 0, np.minimum(right, x + 1e-7), right)
    first = np.ceil(left)
    count = np.where(right >= first, np.floor(right) - first + 1, 0).astype(int)
    return t, y, first.astype(int), count


def rasterise(corner, size, shift, keep=None):
    """Nearest triangle of every pixel. corner: [n][3][x, y, nearness], nearness linear on the screen, larger in front.
    Returns numbers (-1: none) and nearness, [h][w]. keep(numbers, pixels, nearness) may reject fragments."""
    width, height = size
    number = np.full(width * height, -1)
    nearness = np.full(width * height, -np.inf)
    e1, e2 = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    area = e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]
    shown = np.flatnonzero(np.abs(area) > 1e-12)
    corner, e1, e2, area = corner[shown], e1[shown], e2[shown], area[shown]
    # Pixel centres are integers now; nearness = w0 + wx x + wy y.
    xy = corner[:, :, :2] - np.asarray(shift)
    wx = (e1[:, 2] * e2[:, 1] - e1[:, 1] * e2[:, 2]) / area
    wy = (e1[:, 0] * e2[:, 2] - e1[:, 2] * e2[:, 0]) / area
    row_t, row_y, row_x, count = row_spans(xy, size)
    row_w = corner[row_t, 0, 2] + wy[row_t] * (row_y - xy[row_t, 0, 1]) + wx[row_t] * (row_x - xy[row_t, 0, 0])
    # Of repeated indices the last value stays: with near rows last, few fragments need a second turn.
    order = np.argsort(row_w)
    row_t, row_y, row_x, count, row_w = (array[order] for array in (row_t, row_y, row_x, count, row_w))
    ends = np.cumsum(count)
    first = 0
    while first < len(count):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] - count[first] + BATCH)))
        k, row = ramps(count[first:last])
        row += first
        t = row_t[row]
        pixel = row_y[row] * width + row_x[row] + k
        w = row_w[row] + wx[t] * k
        good = w > nearness[pixel]
        if keep is not None:
            good &= keep(shown[t], pixel, w)
        while good.any():
            t, pixel, w = t[good], pixel[good], w[good]
            number[pixel] = shown[t]
            nearness[pixel] = w
            good = w > nearness[pixel]
        first = last
    return number.reshape(height, width), nearness.reshape(height, width)


# ---- light ---------------------------------------------------------------------------------------------------------
class ShadowMap:
    """Depth of the triangles as a far light sees them, over the disc of the given radius about the centre."""

    def __init__(self, triangles, direction, centre, radius, keep=None):
        side = unit(np.cross(direction, [0.31, 0.17, 0.93] if abs(direction[2]) < 0.9 else [1.0, 0.2, 0.0]))
        self.axes = np.array([side, np.cross(direction, side), direction])
        self.centre, self.radius = centre, radius
        corner = (triangles - centre) @ self.axes.T
        corner[:, :, :2] = self.to_map(corner[:, :, :2])
        accept = None
        if keep is not None:
            def accept(t, pixel, depth):
                xy = np.stack([pixel % MAP + 0.5, pixel // MAP + 0.5], axis=1)
                local = np.concatenate([(xy * 2 / MAP - 1) * radius, depth[:, None]], axis=1)
                return keep(t, local @ self.axes + centre)
        self.depth = rasterise(corner, (MAP, MAP), (0.5, 0.5), accept)[1]

    def to_map(self, xy):
        return (xy / self.radius + 1) * 0.5 * MAP

    def lit(self, points):
        """Points are moved off their surface by the caller; half a pixel is left for the slope of what shades."""
        local = (points - self.centre) @ self.axes.T
        xy = np.floor(self.to_map(local[:, :2])).astype(int)
        inside = ((xy >= 0) & (xy < MAP)).all(axis=1)
        xy = np.where(inside[:, None], xy, 0)
        return ~inside | (self.depth[xy[:, 1], xy[:, 0]] <= local[:, 2] + self.radius / MAP)


def lights(camera, first):
    """Directions and linear colours of one pass: a sun to the upper left of the viewer, and a sky brightest above."""
    right, up, ahead = camera.axes
    sun = unit(-0.60 * right + 0.15 * up - 0.55 * ahead + np.array([0, 0, 0.60]))
    u = spread(LIGHTS, first)
    r, phi = np.sqrt(u[:SUN, 0]) * np.tan(np.radians(7)), 2 * np.pi * u[:SUN, 1]
    e1 = unit(np.cross(sun, [0, 0, 1.0] if abs(sun[2]) < 0.95 else [1.0, 0, 0]))
    e2 = np.cross(sun, e1)
    discs = unit(sun + (r * np.cos(phi))[:, None] * e1 + (r * np.sin(phi))[:, None] * e2)
    # Below the horizon, the light that comes back from the ground.
    z = 1 - 1.7 * u[SUN:, 0]
    phi = 2 * np.pi * u[SUN:, 1]
    level = np.sqrt(np.maximum(1 - z * z, 0))
    sky = np.stack([level * np.cos(phi), level * np.sin(phi), z], axis=1)
    bright = np.where(z > 0, 0.55 + 0.45 * z, 0.5)[:, None]
    direction = np.concatenate([discs, sky])
    colour = np.concatenate([np.tile([1.16, 1.12, 1.04], (SUN, 1)) / SUN,
                             bright * np.array([1.70, 1.76, 1.88]) / (LIGHTS - SUN)])
    return direction, colour


# ---- picture -------------------------------------------------------------------------------------------------------
class Surface:
    """What is drawn: triangles [n][3][3] with normals of their corners, linear colours of their corners, whether the edge
    opposite of a corner is a line of the mesh, and planes (point, normal). keep(numbers, points) cuts parts away."""

    def __init__(self, corner, normal, colour, line, planes, keep=None):
        self.corner, self.normal, self.colour, self.line = corner, normal, colour, line
        self.planes, self.keep = planes, keep
        edge1, edge2 = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
        self.flat = unit(np.cross(edge1, edge2))


def barycentric(s, t, points):
    a = s.corner[t, 0]
    e1, e2, d = s.corner[t, 1] - a, s.corner[t, 2] - a, points - a
    g11, g12, g22 = (e1 * e1).sum(1), (e1 * e2).sum(1), (e2 * e2).sum(1)
    d1, d2 = (d * e1).sum(1), (d * e2).sum(1)
    det = np.maximum(g11 * g22 - g12 * g12, 1e-300)
    b1, b2 = (g22 * d1 - g12 * d2) / det, (g11 * d2 - g12 * d1) / det
    return np.clip(np.stack([1 - b1 - b2, b1, b2], axis=1), 0, 1)


def line_weight(s, t, bary, pixel):
    """How much of a line of the mesh a point shows, 0..1; pixel: width of a pixel there [m]."""
    weight = np.zeros(len(t))
    area = np.linalg.norm(np.cross(s.corner[t, 1] - s.corner[t, 0], s.corner[t, 2] - s.corner[t, 0]), axis=1)
    for k in range(3):
        edge = np.linalg.norm(s.corner[t, (k + 2) % 3] - s.corner[t, (k + 1) % 3], axis=1)
        height = area / np.maximum(edge, 1e-300) / pixel
        dense = np.clip(height / 8 - 0.25, 0, 1)         # of a fine mesh, lines would be all that is seen
        line = np.clip(LINE + 0.5 - bary[:, k] * height, 0, 1) * dense
        weight = np.maximum(weight, np.where(s.line[t, k], line, 0))
    return weight


def see_planes(s, camera, rays, nearness):
    """Planes in front of what was seen: number (-1: none) and nearness, [h][w]."""
    number = np.full(nearness.shape, -1)
    for i, (point, normal) in enumerate(s.planes):
        slope = rays @ normal
        height = (camera.eye - point) @ normal
        if height <= 0:
            continue       # seen from inside the half-space: nothing
        w = np.where(slope < 0, -slope / height, -np.inf)
        front = w > nearness
        number[front] = i
        nearness = np.where(front, w, nearness)
    return number, nearness


def floor_colour(point, normal, points, centre, radius, pixel):
    """A light plane with a grid of 1, 2 or 5 times a power of ten, and how far it has faded into the background."""
    step = 10 ** np.floor(np.log10(radius / 2))
    step *= next(m for m in (5, 2, 1) if m * step <= radius / 2)
    e1 = unit(np.cross(normal, [0, 1.0, 0] if abs(normal[1]) < 0.9 else [1.0, 0, 0]))
    grid = np.zeros(len(points))
    for axis in (e1, np.cross(normal, e1)):
        x = (points - point) @ axis / step
        far = np.abs(x - np.round(x)) * step / pixel
        grid = np.maximum(grid, np.clip(1.1 - far, 0, 1) * np.clip(step / pixel / 6 - 1, 0, 1))
    away = np.linalg.norm(points - centre, axis=1) / radius
    fade = np.clip((away - 1.1) / 2.4, 0, 1)
    return linear([0.86, 0.87, 0.88]) * (1 - 0.28 * grid[:, None]), fade * fade * (3 - 2 * fade)


def one_pass(s, camera, centre, radius, index):
    shift = spread(1, index + 1)[0]
    rays = camera.rays(shift)
    local = camera.project(s.corner.reshape(-1, 3)).reshape(-1, 3, 3)
    clipped, number = clip_near(local, NEAR * camera.depth)
    corner = camera.screen(clipped.reshape(-1, 3)).reshape(-1, 3, 3)
    keep = None
    if s.keep is not None:
        flat_rays = rays.reshape(-1, 3)
        def keep(t, pixel, w):
            return s.keep(number[t], camera.eye + flat_rays[pixel] / w[:, None])
    seen, nearness = rasterise(corner, camera.size, shift, keep)
    plane, nearness = see_planes(s, camera, rays, nearness)
    image = np.ones(seen.shape + (3,))
    hit = (seen >= 0) | (plane >= 0)
    if not hit.any():
        return image

    # What every pixel sees: place, normal, colour.
    depth = 1 / nearness[hit]
    points = camera.eye + rays[hit] * depth[:, None]
    on_plane = plane[hit]
    solid = on_plane < 0
    normal, colour, fade = np.zeros_like(points), np.zeros_like(points), np.zeros(len(points))
    pixel = camera.pixel * depth
    t = number[seen[hit][solid]]
    bary = barycentric(s, t, points[solid])
    smooth = unit((s.normal[t] * bary[:, :, None]).sum(axis=1))
    flat = s.flat[t]
    away = (flat * rays[hit][solid]).sum(axis=1) > 0       # the inside of a sheet
    normal[solid] = np.where(away[:, None], -smooth, smooth)
    flat = np.where(away[:, None], -flat, flat)
    lines = line_weight(s, t, bary, pixel[solid])
    colour[solid] = (s.colour[t] * bary[:, :, None]).sum(axis=1) * (1 - 0.45 * lines[:, None])
    offset = normal.copy()
    offset[solid] = flat
    for i, (point, up) in enumerate(s.planes):
        here = on_plane == i
        normal[here] = offset[here] = up
        colour[here], fade[here] = floor_colour(point, up, points[here], centre, radius, pixel[here])

    # Light of every direction, where its shadow map lets it through.
    start = points + offset * (3 * radius / MAP)
    total = np.zeros_like(points)
    for direction, strength in zip(*lights(camera, index * LIGHTS)):
        cosine = np.maximum(normal @ direction, 0)
        facing = np.flatnonzero((cosine > 0) & ((offset @ direction) > 0))
        if len(facing) and len(s.corner):
            shadow = ShadowMap(s.corner, direction, centre, radius, s.keep)
            facing = facing[shadow.lit(start[facing])]
        total[facing] += cosine[facing, None] * strength
    total += 0.10
    shaded = display(colour * total)
    image[hit] = shaded + (1.0 - shaded) * fade[:, None]
    return image


def render(s, camera, samples):
    """The picture in sRGB, 0..1, [h][w][3]. Shadows reach over a sphere about what the camera was fitted to."""
    image = 0.0
    for index in range(samples):
        image = image + one_pass(s, camera, camera.centre, camera.radius, index)
    return image / samples
