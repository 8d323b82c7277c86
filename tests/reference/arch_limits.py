#!/usr/bin/env python3
"""Limit analysis of masonry arches under their own weight: how thick and how rough an arch must be to stand (no packages
needed).

Stones are rigid, joints carry no tension, friction is Coulomb's. An arch can stand only if there are joint forces in
balance with the weights such that at every joint

    the thrust stays within the joint       |M| <= N t/2      (M about the joint's middle; else it opens as a hinge)
    and within the friction cone            |T| <= mu N       (else it slides)

All of this is linear in the forces. The mean of an admissible set of forces and of its mirror image is admissible, so a
symmetric arch needs only symmetric ones: two unknowns, the thrust H at the crown, which is level there, and its height. The
cones bound H alone; for a given H each joint bounds the height; the room left between these bounds is concave in H, so
its maximum is found by a ternary search.

With friction, admissible forces are necessary but not sufficient for standing: sliding is not along the normal of its
cone (not associated), so an arch close to its limit may still fall by a start that is unlucky [Gilbert, Casapulla & Ahmed
2006 name the mixed range]. Without them nothing stands.

  arch_limits.py                     the limits of semicircular arches (joints along radii) and of the arches of the gallery
  arch_limits.py --catenary FILE     also those of a scene of hexahedra between sections (scenes/arch/catenary.yaml)
"""
import argparse
import math
import re


class Arch:
    """The right half of an arch, from the crown down. Stone k lies between joints k and k+1; joint 0 is the crown, which
    is in the middle of the keystone where the number of stones is odd. A joint is (inner point, outer point, real?), a
    stone (weight, x of its centre)."""

    def __init__(self, joints, stones):
        self.rows = []
        weight = 0.0
        moment = 0.0  # of the weights above, about the origin
        for k, (inner, outer, real) in enumerate(joints):
            if k > 0:
                weight += stones[k - 1][0]
                moment += stones[k - 1][0] * stones[k - 1][1]
            if real:
                self.rows.append(self.row(inner, outer, weight, moment))

    @staticmethod
    def row(inner, outer, weight, moment):
        """What joint forces are: N = n0 + n1 H, T = s0 + s1 H, and the moments of the forces about both ends of the joint,
        e0 + e1 H - q, q = H times its height at the crown. The part above the joint feels H at (0, q/H) to the left
        half's side, its weight, and the joint force."""
        along = (outer[0] - inner[0], outer[1] - inner[1])
        length = math.hypot(*along)
        u = (along[0] / length, along[1] / length)  # outwards along the joint
        down = (u[1], -u[0])  # normal of the joint, from the crown to the foot
        # The part above pushes (H, -weight) onto what is below.
        normal = (-weight * down[1], down[0])
        shear = (-weight * u[1], u[0])
        # About a point p, counter-clockwise, of (H at the crown) and of the weights: -(y0 - py) H - (moment - px weight).
        ends = [(p[0] * weight - moment, p[1]) for p in (inner, outer)]
        return normal, shear, ends

    def thrusts(self, mu):
        """Range of H within all cones."""
        low, high = 0.0, math.inf
        for normal, shear, _ in self.rows:
            for sign in (1.0, -1.0):
                a = mu * normal[0] - sign * shear[0]  # a + b H >= 0
                b = mu * normal[1] - sign * shear[1]
                if abs(b) < 1e-14:
                    if a < -1e-14:
                        return 1.0, 0.0
                elif b > 0.0:
                    low = max(low, -a / b)
                else:
                    high = min(high, -a / b)
        return low, high

    def room(self, thrust):
        """Room for q [N m] at a thrust H: the thrust passes above the inner end of every joint and below the outer."""
        low, high = -math.inf, math.inf
        for _, _, (inner, outer) in self.rows:
            a = inner[0] + inner[1] * thrust
            b = outer[0] + outer[1] * thrust
            low, high = max(low, min(a, b)), min(high, max(a, b))
        return high - low

    def stands(self, mu):
        low, high = self.thrusts(mu)
        if low > high:
            return False
        high = min(high, 1e3 * sum(abs(r[0][0]) for r in self.rows))
        for _ in range(100):
            a, b = low + (high - low) / 3.0, high - (high - low) / 3.0
            if self.room(a) < self.room(b):
                low = a
            else:
                high = b
        return self.room(0.5 * (low + high)) >= 0.0

    def least_friction(self):
        """Below this coefficient nothing is admissible; inf if the shape is at fault."""
        return bisect(self.stands, 0.0, 4.0) if self.stands(4.0) else math.inf


def bisect(good, bad, fine):
    """Border between bad, where good() is false, and fine."""
    for _ in range(40):
        middle = 0.5 * (bad + fine)
        if good(middle):
            fine = middle
        else:
            bad = middle
    return fine


def area_and_centre(polygon):
    area = 0.0
    x = 0.0
    for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1]):
        cross = x0 * y1 - x1 * y0
        area += 0.5 * cross
        x += cross * (x0 + x1) / 6.0
    return abs(area), x / area


def semicircle(thickness, stones, straight):
    """Radius 1, joints along the radii; straight: stones are plane quadrilaterals with corners on the circles, else parts
    of the ring."""
    inner, outer = 1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness
    half = math.pi / (2 * stones)
    angles = [0.0] + [half * k for k in range(1, stones + 1) if (stones - k) % 2 == 0]  # from the crown
    joints = [(polar(inner, a), polar(outer, a), a > 0.0 or stones % 2 == 0) for a in angles]
    blocks = []
    for k, (a, b) in enumerate(zip(angles, angles[1:])):
        if straight and not joints[k][2]:  # half of the keystone, its inner and outer sides level
            corners = [(0.0, polar(inner, b)[1]), polar(inner, b), polar(outer, b), (0.0, polar(outer, b)[1])]
            blocks.append(area_and_centre(corners))
        elif straight:
            blocks.append(area_and_centre([polar(inner, a), polar(inner, b), polar(outer, b), polar(outer, a)]))
        else:
            area = 0.5 * (b - a) * (outer**2 - inner**2)
            blocks.append((area, (outer**3 - inner**3) / 3.0 * (math.cos(a) - math.cos(b)) / area))
    return Arch(joints, blocks)


def polar(radius, angle):
    """Angle from the crown."""
    return radius * math.sin(angle), radius * math.cos(angle)


def least_thickness(mu, stones, straight=False):
    """Of a semicircle; inf if no thickness helps."""

    def stands(t):
        return semicircle(t, stones, straight).stands(mu)

    return bisect(stands, 1e-3, 1.0) if stands(1.0) else math.inf


def sliding_limit():
    """Smallest friction of a semicircle that cannot hinge: mu pi/2 = max over a of a cot(a + atan mu), because the foot
    carries H <= mu W and the joint at a slips inwards below H = W(a) cot(a + atan mu), W(a) = a."""

    def holds(mu):
        phi = math.atan(mu)
        return mu * math.pi / 2 >= max(a / math.tan(a + phi) for a in (k * 1e-4 for k in range(1, 15000)))

    return bisect(holds, 0.0, 1.0)


def read_catenary(path):
    """The hexahedra of the right half of a scene: corners 0 to 3 are the section that is nearer to the foot on the left
    side; the right half is the left one turned. Feet stand on an edge: their joint is a point, with the section's
    direction."""
    text = open(path, encoding="utf-8").read()
    number = r"(-?\d+\.\d+)"
    corners = {}
    for name, body in re.findall(r"  (block\d+):\n    hexahedron:\n      corners:\n((?:        - .*\n)+)", text):
        corners[name] = [tuple(map(float, c)) for c in re.findall(rf"\[{number}, {number}, {number}\]", body)]
    places = {}
    for name, mesh, x, z in re.findall(
        rf"name: (block\d+),.*mesh: (block\d+),.*position: \[{number}, {number.replace('(', '(?:')}, {number}\]", text
    ):
        if name == mesh:
            places[name] = (float(x), float(z))
    side = float(re.search(r"cube: \{box: \{size: \[(\d+\.\d+)", text).group(1))
    cube = float(re.search(r"name: right,.*position: \[(\d+\.\d+)", text).group(1))
    edge = cube - 0.5 * side
    names = [f"block{k}" for k in range(len(places), 0, -1)]
    joints = []
    stones = []
    for k, name in enumerate(names):
        at = [(-(places[name][0] + c[0]), places[name][1] + c[2], c[1]) for c in corners[name]]  # mirrored: right half
        foot = sorted((at[0][:2], at[1][:2]))  # inner, outer
        top = sorted((at[4][:2], at[5][:2]))
        widths = (2.0 * abs(at[4][2]), 2.0 * abs(at[0][2]))
        if k == 0:
            foot = [max(at[1], at[5])[:2], max(at[0], at[4])[:2]]  # its right section; inner and outer sides are level
            top = [(0.0, foot[0][1]), (0.0, foot[1][1])]
            joints.append((top[0], top[1], False))
        stones.append(tapered(top, foot, widths))
        if k == len(names) - 1:  # the edge of the cube under it
            share = (edge - foot[0][0]) / (foot[1][0] - foot[0][0])
            foot = [mix(*foot, share - 1e-6), mix(*foot, share + 1e-6)]
        joints.append((foot[0], foot[1], True))
    return Arch(joints, stones)


def tapered(top, foot, widths):
    """Volume and centre of a stone between two sections of different widths: slices."""
    n = 200
    volume = 0.0
    moment = 0.0
    for i in range(n):
        a, b = i / n, (i + 1) / n
        quad = [mix(top[0], foot[0], a), mix(top[0], foot[0], b), mix(top[1], foot[1], b), mix(top[1], foot[1], a)]
        area, x = area_and_centre(quad)
        width = widths[0] + 0.5 * (a + b) * (widths[1] - widths[0])
        volume += area * width
        moment += area * width * x
    return volume, moment / volume


def mix(p, q, s):
    return p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])


def main():
    parser = argparse.ArgumentParser(description="Limit analysis of masonry arches.")
    parser.add_argument("--catenary", metavar="FILE", help="scene of hexahedra between sections")
    asked = parser.parse_args()
    print(f"sliding, no thickness helps below        mu  {sliding_limit():.5f}")
    fine = 400
    hinge = least_thickness(4.0, fine)
    print(f"hinges, whatever the friction, below     t/R {hinge:.5f}")
    print(f"sliding plays no part above              mu  {semicircle(hinge * (1.0 + 1e-6), fine, False).least_friction():.5f}")
    print("least thickness of many thin stones:")
    for mu in (0.309, 0.3095, 0.31, 0.32, 0.34, 0.36, 0.38, 0.39, 0.395, 0.4):
        print(f"  mu {mu:<6g} t/R {least_thickness(mu, fine):.4f}")
    for stones in (15, 25):
        print(f"{stones} straight-sided stones: hinges below t/R {least_thickness(4.0, stones, True):.5f}")
        for t in (0.1, 0.12, 0.2, 0.24):
            print(f"  t/R {t:<5g} least mu {semicircle(t, stones, True).least_friction():.4f}")
    if asked.catenary:
        print(f"{asked.catenary}: least mu {read_catenary(asked.catenary).least_friction():.4f}")


if __name__ == "__main__":
    main()
