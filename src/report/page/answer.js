// SPDX-License-Identifier: BSD-2-Clause
// answer.js - numbers of the present view, for scripts.
import { functionsOf } from './analysis.js';
import { pathTo } from './tree.js';

/** @param {App} app */
export function answerOf(app) {
	const { model } = app;
	const unit = app.unit();
	const analysis = app.analysis();
	const { tree, selfs, totals } = analysis;
	const sums = functionsOf(model, analysis);
	const functions = [], folded = [];
	for (let f = 1; f < model.nFunctions; f++)
		if (sums.totals[f] > 0)
			functions.push([model.nameOf(f), model.binaryOf(f), sums.selfs[f],
				sums.totals[f]]);
	for (let i = 1; i < tree.n; i++) {
		if (selfs[i] === 0)
			continue;
		folded.push([pathTo(tree, i).map((k) => [model.nameOf(tree.functions[k]),
			model.binaryOf(tree.functions[k])]), selfs[i]]);
	}
	return { unit: unit === 'bytes' ? unit : app.of() ? 'wall time' : model.facts.unit,
		samples: analysis.n,
		total: totals[0], functions, folded,
		threads: Array.from(analysis.threads).flatMap((sum, t) => sum === 0 ? []
			: [[model.processes[model.threads[t].process].pid,
				model.threads[t].tid, sum]]),
		slowest: Array.from(analysis.chosen || [], (i) => [model.marks.times[i],
			model.marks.durations[i], model.markName(model.marks.names[i])]) };
}
