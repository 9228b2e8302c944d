// SPDX-License-Identifier: BSD-2-Clause
// duktape.js - functions that run for 400 ms, whose names the test expects.
function leaf(n) {
	var sum = 0;
	for (var i = 0; i < n; i++)
		sum += i;
	return sum + now();
}

function middle(n) {
	return leaf(n) + 1;
}

// A name that is not a string counts as no name.
var odd = function () {
	return middle(2000) + 1;
};
Object.defineProperty(odd, 'name', { value: { toString: function () {
	throw new Error('the script must not be called by a sampler');
} } });

function outer() {
	for (var end = now() + 400; now() < end;) {
		middle(2000);
		odd();
		[1].forEach(function inside() { middle(2000); });
	}
	return 'done';
}

function deep(n) {
	return n > 0 ? deep(n - 1) + 1 : outer();
}

deep(3);
