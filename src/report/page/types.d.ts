// SPDX-License-Identifier: BSD-2-Clause
// types.d.ts - what several modules' comments name.  No part of the page.
type Analysis = import('./analysis.js').Analysis;
type App = import('./main.js').App;
type Attributes = { [name: string]: any } & {
	[name in keyof HTMLElementEventMap as `on${name}`]?:
		(event: HTMLElementEventMap[name]) => any };
type Box = import('./boxes.js').Box;
type Columns = import('./columns.js').Columns;
type Comparison = import('./compare.js').Comparison;
type Context2D = CanvasRenderingContext2D;
type Filter = import('./filter.js').Filter;
type Model = import('./model.js').Model;
type Numbers = import('./columns.js').Numbers;
type Scale = import('./scale.js').Scale;
type Side = import('./compare.js').Side;
type State = import('./state.js').State;
type Theme = import('./canvas.js').Theme;
type ThreadColours = import('./thread_colours.js').ThreadColours;
type Transforms = import('./tree.js').Transforms;
type Tree = import('./tree.js').Tree;
