// SPDX-License-Identifier: BSD-2-Clause
// format.js - readable numbers.

/** A value with three digits and a unit. @param {number} value
 * @param {string[]} units @param {number} step */
function scaled(value, units, step) {
	let i = 0, size = Math.abs(value);
	while (i + 1 < units.length && size >= step * 0.9995) {
		size /= step;
		i++;
	}
	const digits = i === 0 && Number.isInteger(value) ? 0
		: size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
	return (value < 0 ? '−' : '') + size.toFixed(digits) + '\u00a0' + units[i];
}

/** "12.3 ms", "1:05.3 min", or "1:02:03". @param {number} ns */
export function formatTime(ns) {
	const tenths = Math.round(Math.abs(ns) / 1e8);
	if (tenths >= 600 && Math.abs(ns) < 3.6e12)
		return (ns < 0 ? '−' : '') + Math.floor(tenths / 600) + ':' +
			(tenths % 600 / 10).toFixed(1).padStart(4, '0') + '\u00a0min';
	return Math.abs(ns) >= 3.6e12 ? formatMoment(ns, 1e9)
		: ns === 0 ? '0\u00a0s' : scaled(ns, ['ns', 'µs', 'ms', 's'], 1000);
}

/** @param {number} bytes */
export function formatBytes(bytes) {
	return scaled(bytes, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], 1024);
}

// One formatter for all numbers, since making a formatter is slow.
const COUNTS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** "12,345". @param {number | bigint} n */
export const formatCount = (n) => COUNTS.format(n).replace('-', '−');

/** "1 tick", "2 ticks". @param {number} n @param {string} what */
export function formatNumber(n, what) {
	return formatCount(n) + '\u00a0' + what + (n === 1 ? '' : 's');
}

/** "12.3 %". @param {number} part @param {number} whole */
export function formatShare(part, whole) {
	return whole > 0 ? (part / whole * 100).toFixed(1) + '\u00a0%' : '–';
}

/** "+2.1 points": percentage points. @param {number} difference from -1 to 1 */
export function formatDifference(difference) {
	const points = (Math.abs(difference) * 100).toFixed(1);
	return (points === '0.0' ? '±' : difference < 0 ? '−' : '+') +
		points + '\u00a0points';
}

/** A time with enough digits to distinguish times `step` apart. @param {number} ns @param {number} step */
export function formatMoment(ns, step) {
	const seconds = Math.abs(ns) / 1e9;
	const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / 1e9))));
	const sign = ns < 0 && Number(seconds.toFixed(digits)) > 0 ? '−' : '';
	if (seconds >= 3600 && step >= 1e9) {
		const pad = (/** @type {number} */ n) => String(n).padStart(2, '0');
		return sign + Math.floor(seconds / 3600) + ':' +
			pad(Math.floor(seconds / 60) % 60) + ':' +
			pad(Math.floor(seconds) % 60);
	}
	return sign + seconds.toFixed(digits) + '\u00a0s';
}

/** A time in a table; hours have fewer digits. @param {number} ns */
export function formatAt(ns) {
	return formatMoment(ns, Math.max(1e4, Math.abs(ns) / 1e6));
}

/** "12.3 ms, 4.5 %". @param {number} part @param {number} whole @param {Unit} unit */
export function formatPart(part, whole, unit) {
	return formatAmount(part, unit) + ', ' + formatShare(part, whole);
}

/** Unit of a view. @param {number} amount @param {Unit} unit */
export function formatAmount(amount, unit) {
	return unit === 'time' ? formatTime(amount)
		: unit === 'bytes' ? formatBytes(amount)
			: formatNumber(amount, 'tick');
}
