// SPDX-License-Identifier: BSD-2-Clause
// operations.js - operations of a process, independent of threads.  Overlapping
// operations have different rows.

// maximum number of lanes of a process or a name
export const LANES = 40;

/**
 * Boxes of operations in the visible range, by process and lane, with numbers
 * of operations as ids.
 * @param {Model} model @param {Scale} scale @param {(name: number, process: number) => boolean} passes
 */
export function layOperations(model, scale, passes) {
	/** @type {Map<number, {x: number, w: number, id: number}[][]>} */
	const found = new Map();
	model.operations.forEach(([, begin, end, , , name, process], id) => {
		if (end < scale.from || begin > scale.to || !passes(name, process))
			return;
		const x = Math.max(scale.x(begin), 0);
		const w = Math.min(scale.x(end), scale.width) - x;
		const lanes = found.get(process) || [];
		found.set(process, lanes);
		const last = (/** @type {number} */ lane) =>
			lanes[lane][lanes[lane].length - 1];
		let lane = lanes.findIndex((_, i) => last(i).x + last(i).w <= x);
		if (lane < 0 && lanes.length < LANES)
			lane = lanes.push([]) - 1;
		if (lane < 0) // operations that share a place
			last(lane = LANES - 1).w = Math.max(last(lane).w, x + w - last(lane).x);
		else
			lanes[lane].push({ x, w: Math.max(w, 1), id });
	});
	return found;
}
