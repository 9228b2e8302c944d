// SPDX-License-Identifier: BSD-2-Clause
// index.d.ts - types of syscap for Node.js.  README.md tells what each costs.

/** Nanoseconds of CLOCK_MONOTONIC. */
export type Nanoseconds = number;

/** Whether events may have somewhere to go. */
export function isActive(): boolean;

/** Now, on the clock of the capture. */
export function now(): Nanoseconds;
/** A time of performance.now() or of a PerformanceEntry, of this thread. */
export function fromPerformance(milliseconds: number): Nanoseconds;
/** A time of process.hrtime() or process.hrtime.bigint(). */
export function fromHrtime(time: bigint | readonly [number, number]): Nanoseconds;

export type Link = 'begin' | 'step' | 'end' | 'out' | 'in';

/** From where it was made until its first end. */
export interface Scope {
  end(message?: string): void;
  [Symbol.dispose](): void;
}

/** A place that makes marks.  Made by site(); belongs to its thread. */
export interface Site {
  readonly group: string;
  readonly name: string;
  readonly index: number;
  /** False: the thread has 65,536 others. */
  readonly isRecorded: boolean;
  /** It took `duration` from `begin` on. */
  mark(begin: Nanoseconds, duration: Nanoseconds, message?: string): void;
  /** Now. */
  instant(message?: string): void;
  /** The time at which something begins, for end(); 0 when not recording. */
  begin(): Nanoseconds;
  /** From `begin` until now. */
  end(begin: Nanoseconds, message?: string): void;
  scope(message?: string): Scope;
  /**
   * Call `fn`.  Where it returns a promise, the mark is an operation until
   * that has settled, and what is returned is a promise behind it.  Where it
   * returns a generator, the operation ends with that.
   */
  run<T>(fn: () => T, message?: string): T;
  /** A function that calls `fn` in run(). */
  wrap<This, Args extends unknown[], Result>(
    fn: (this: This, ...args: Args) => Result,
  ): (this: This, ...args: Args) => Result;
  /** An operation from `begin` until now, which others may overlap. */
  async(id: number, begin: Nanoseconds, message?: string): void;
  /** A part of the operation `id`, or an end of an arrow, now. */
  linked(kind: Link, id: number, message?: string): void;
}

/** The same for the same texts. */
export function site(group: string, name: string): Site;

export function mark(
  group: string, name: string, begin: Nanoseconds,
  duration?: Nanoseconds, message?: string): void;
export function instant(group: string, name: string, message?: string): void;

/**
 * Call `fn` in an operation of its own, until what it returns has settled: a
 * promise behind that is returned.  Whatever it calls and waits for is within
 * it, on the way there and back.
 */
export function operation<T>(
  group: string, name: string, fn: () => T, message?: string): T;
/** A step of the operation that this runs in; outside of one, nothing. */
export function step(name: string, message?: string): void;
/** The operation that this runs in, for linked(); undefined outside of one. */
export function currentOperation():
  { readonly group: string; readonly id: number } | undefined;

export interface Counter {
  readonly category: string;
  readonly name: string;
  readonly description: string;
  readonly type: 'int64' | 'double';
  /** What it is, in all threads of the process. */
  readonly value: number;
  /** False: the process has 4,096 others. */
  readonly isRecorded: boolean;
  set(value: number): void;
  /** As set(), but nothing is recorded where the value is still the same. */
  update(value: number): void;
  /** `change` is 1 where it is not given. */
  add(change?: number): void;
}

export function counter(
  category: string, name: string, description?: string,
  options?: { type?: 'int64' | 'double' }): Counter;

export type Severity =
  'error' | 'critical' | 'warning' | 'message' | 'info' | 'debug';
/** A function is called only while something is recorded. */
export type Text = string | (() => string);

export function log(severity: Severity, domain: string, text: Text): void;
export type Logger = { readonly [severity in Severity]: (text: Text) => void };
export function logger(domain: string): Logger;

/** A fact about the run. */
export function metadata(id: string, value: string): void;

/** Marks of this thread that wait, and are recorded together. */
export const batch: {
  mark(site: Site, begin: Nanoseconds, duration: Nanoseconds): void;
  /** From `begin`, of site.begin(), until now. */
  end(site: Site, begin: Nanoseconds): void;
  instant(site: Site): void;
  flush(): void;
  readonly capacity: number;
  readonly pending: number;
};

export interface Bridge {
  close(): void;
}

/** Entries of the performance timeline as marks; 'mark' and 'measure'. */
export function observePerformance(
  options?: { types?: readonly string[] }): Bridge & { flush(): void };

/** Messages of a diagnostics channel as instants. */
export function subscribe(
  name: string | symbol,
  options?: {
    group?: string;
    describe?: (message: any, name: string | symbol) => string | undefined;
  }): Bridge;

/** Operations of a TracingChannel as marks. */
export function traceChannel(
  name: string,
  options?: {
    group?: string;
    describe?: (context: any) => string | undefined;
  }): Bridge;

export interface StartOptions {
  /** %p is the pid, %n the program; 'node-%p.syscap' when not given. */
  output?: string;
  /** Of the capture; then recording stops. */
  maxBytes?: number;
  /** Of each thread's ring. */
  ringKiB?: number;
  /** Events wait this long at most. */
  intervalMs?: number;
  /** The process' end waits this long at most. */
  exitFlushMs?: number;
  /** false: nothing is written but by drain(). */
  thread?: boolean;
}

/**
 * Record this process into a file of its own; returns its name.  Errors of
 * these functions have a `code` as Node's own: 'EALREADY' ...
 */
export function start(options?: StartOptions): string;
export function stop(): void;
export function drain(): void;

export interface Stats {
  active: boolean;
  /** Why it is on or off. */
  reason: string;
  /** Events of this process that were not kept ... */
  dropped: number;
  /** ... of which begun and never finished. */
  abandoned: number;
  /** Dropped, and not told in the capture yet. */
  untold: number;
  rings: number;
  clockIsTsc: boolean;
  written: number;
  output: string;
}
export function stats(): Stats;

export type SamplerClock = 'auto' | 'cpu' | 'wall' | 'perf';

export interface SamplerOptions {
  /** Of each thread; 1,000 when not given. */
  hz?: number;
  clock?: SamplerClock;
  /** With syscap/v8: all frames, JavaScript's only, or C++'s only. */
  stacks?: 'merged' | 'managed' | 'native';
  maxDepth?: number;
  signal?: number;
}

export interface SamplerStats {
  samples: number;
  due: number;
  cut: number;
  stopped: number;
  refused: number;
  foreign: number;
  threads: number;
  unsampled: number;
  namesLost: number;
  signal: number;
  clock: SamplerClock;
  hz: number;
}

/** Stacks of every thread of this process. */
export const sampler: {
  /** Returns what is sampled how. */
  start(options?: SamplerOptions): string;
  stop(): void;
  stats(): SamplerStats;
};
