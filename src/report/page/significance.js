// SPDX-License-Identifier: BSD-2-Clause
// significance.js - differences of means with confidence intervals, by the
// statistics of `syscap diff` (src/compare/significance.c).

const MISSED = 0.05; // accepted share of errors among the reported rows

const LANCZOS = [676.5203681218851, -1259.1392167224028, 771.32342877765313,
	-176.61502916214059, 12.507343278686905, -0.13857109526572012,
	9.9843695780195716e-6, 1.5056327351493116e-7];

/** Logarithm of the gamma function. @param {number} x at least 0.5 */
function logGamma(x) {
	const t = x + 6.5;
	const sum = LANCZOS.reduce((all, c, i) => all + c / (x + i), 0.99999999999980993);
	return Math.log(Math.sqrt(2 * Math.PI) * sum) + (x - 0.5) * Math.log(t) - t;
}

/** The continued fraction of the incomplete beta function.
 * @param {number} a @param {number} b @param {number} x */
function betaFraction(a, b, x) {
	const notZero = (/** @type {number} */ v) => Math.abs(v) < 1e-300 ? 1e-300 : v;
	let c = 1, d = 1 / notZero(1 - (a + b) * x / (a + 1)), value = d;
	for (let m = 1; m <= 300; m++) {
		const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / notZero(1 + even * d);
		c = notZero(1 + even / c);
		value *= d * c;
		d = 1 / notZero(1 + odd * d);
		c = notZero(1 + odd / c);
		value *= d * c;
		if (Math.abs(d * c - 1) < 1e-15)
			break;
	}
	return value;
}

/** Probability of a value beyond ±t of Student's distribution.
 * @param {number} t @param {number} degrees */
export function tailsOf(t, degrees) {
	if (!Number.isFinite(t))
		return 0;
	const x = degrees / (degrees + t * t), rest = t * t / (degrees + t * t);
	const a = degrees / 2, b = 0.5;
	if (rest <= 0)
		return 1;
	const factor = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) +
		a * Math.log(x) + b * Math.log(rest));
	return x < (a + 1) / (a + b + 2) ? factor * betaFraction(a, b, x) / a
		: 1 - factor * betaFraction(b, a, rest) / b;
}

/** The t that a value exceeds, on either side, with the probability.
 * @param {number} probability @param {number} degrees */
export function quantileOf(probability, degrees) {
	let low = 0, high = 1;
	while (high < 1e12 && tailsOf(high, degrees) > probability)
		high *= 2;
	for (let i = 0; i < 60; i++) {
		const middle = (low + high) / 2;
		if (tailsOf(middle, degrees) > probability)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/**
 * Welch's test. A single unit is assumed to vary like the units of the other
 * side; null: there are too few units.
 * @param {number} difference of the means @param {Spread} one @param {Spread} other
 * @param {number} f function @returns {Tested | null}
 */
export function testOf(difference, one, other, f) {
	if (one.n < 1 || other.n < 1 || one.n + other.n < 3)
		return null;
	const variance = (/** @type {Spread} */ { n, sums, squares, step }) => n < 2
		? NaN : Math.max((squares[f] - sums[f] * sums[f] / n) / (n - 1),
			step * step / 12);
	const a = variance(one), b = variance(other);
	const x = (Number.isNaN(a) ? b : a) / one.n, y = (Number.isNaN(b) ? a : b) / other.n;
	const degrees = one.n === 1 || other.n === 1 ? one.n + other.n - 2
		: (x + y) * (x + y) / (x * x / (one.n - 1) + y * y / (other.n - 1));
	const error = Math.sqrt(x + y);
	// Equal values in all units are no test
	if (!(error > 0) || !(degrees > 0))
		return null;
	return { error, degrees, p: difference === 0 ? 1
		: tailsOf(Math.abs(difference) / error, degrees) };
}

/** Error probability of each interval, after Benjamini, Hochberg and Yekutieli.
 * @param {number[]} ps */
export function missedOf(ps) {
	const sorted = Float64Array.from(ps).sort();
	let n = 1;
	sorted.forEach((p, i) => {
		if (p < MISSED * (i + 1) / sorted.length)
			n = i + 1;
	});
	return MISSED * n / Math.max(sorted.length, 1);
}
