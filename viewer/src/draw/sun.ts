// Shadows of a sun, for pictures: what the sun sees is drawn as a map of depths, and a place behind what is seen there is in the
// shade. Edges are sharp where bodies touch and soft farther away. On the page, where every frame counts, nothing of it is done.
import * as three from "three";
import type { Box } from "./bounds";
import { sunMaterial, type Own, type Shared } from "./material";

const SIZE = 2048; // [pixels] of the map

export class Sun {
    private readonly target = new three.WebGLRenderTarget(SIZE, SIZE, { depthTexture: new three.DepthTexture(SIZE, SIZE, three.UnsignedIntType) });
    private readonly scene = new three.Scene();
    private readonly camera = new three.OrthographicCamera();
    private readonly mesh = new three.Mesh();
    private readonly materials = new Map<Own, three.RawShaderMaterial>();

    constructor(private readonly shared: Shared) {
        this.mesh.frustumCulled = false;
        this.scene.add(this.mesh);
    }

    /** geometry: triangles that cast shadows, within the box; towards the sun is the shared uKey. */
    draw(renderer: three.WebGLRenderer, geometry: three.BufferGeometry, own: Own, box: Box): void {
        const { shared, camera } = this, radius = Math.max(box.radius, 1e-9), key = shared.uKey.value;
        Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0, far: 4 * radius });
        camera.position.set(...box.centre).addScaledVector(key, 2 * radius);
        camera.up.set(Math.abs(key.x) < 0.7 ? 1 : 0, Math.abs(key.x) < 0.7 ? 0 : 1, 0);
        camera.lookAt(...box.centre);
        camera.updateProjectionMatrix();
        camera.updateMatrixWorld();
        if (!this.materials.has(own)) {
            this.materials.set(own, sunMaterial(shared, own));
        }
        this.mesh.geometry = geometry;
        this.mesh.material = this.materials.get(own)!;
        shared.uSunDepth.value = null; // it cannot be drawn and read at once
        renderer.setRenderTarget(this.target);
        renderer.setClearColor(0, 0);
        renderer.clear();
        renderer.render(this.scene, camera);
        renderer.setRenderTarget(null);
        // To 0..1 of the map.
        shared.uSunMatrix.value.makeScale(0.5, 0.5, 0.5).setPosition(0.5, 0.5, 0.5)
            .multiply(camera.projectionMatrix).multiply(camera.matrixWorldInverse);
        shared.uSunDepth.value = this.target.depthTexture;
        shared.uSunSize.value = radius;
    }
}
