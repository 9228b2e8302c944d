// SPDX-License-Identifier: BSD-2-Clause
// index.d.ts - types of syscap for Node.js.  README.md has the calls' costs.

/** Nanoseconds of CLOCK_MONOTONIC. */
export type Nanoseconds = number;

/** True if a recording may be active. */
export function isActive(): boolean;

/** The current time, on the clock of the capture. */
export function now(): Nanoseconds;
/** Convert performance.now() or a PerformanceEntry's time, of this thread. */
export function fromPerformance(milliseconds: number): Nanoseconds;
/** Convert a time of process.hrtime() or process.hrtime.bigint(). */
export function fromHrtime(time: bigint | readonly [number, number]): Nanoseconds;

export type Link = 'begin' | 'step' | 'end' | 'out' | 'in';

/** A mark from the making of the scope until the first end(). */
export interface Scope {
  end(message?: string): void;
  [Symbol.dispose](): void;
}

/** A group and a name for marks, made by site() for one thread. */
export interface Site {
  readonly group: string;
  readonly name: string;
  readonly index: number;
  /** False if the thread already has 65,536 other sites. */
  readonly isRecorded: boolean;
  /** Record a mark that began at `begin` and took `duration`. */
  mark(begin: Nanoseconds, duration: Nanoseconds, message?: string): void;
  /** Record a mark without duration, now. */
  instant(message?: string): void;
  /** The start time for end(); 0 without a recording. */
  begin(): Nanoseconds;
  /** Record a mark from `begin` until now. */
  end(begin: Nanoseconds, message?: string): void;
  scope(message?: string): Scope;
  /**
   * Call `fn` and record a mark.  If `fn` returns a promise, the mark is an
   * operation until the promise settles, and run() returns a promise that
   * settles after it.  If `fn` returns a generator, the operation ends with the
   * generator.
   */
  run<T>(fn: () => T, message?: string): T;
  /** Make a function that calls `fn` in run(). */
  wrap<This, Args extends unknown[], Result>(
    fn: (this: This, ...args: Args) => Result,
  ): (this: This, ...args: Args) => Result;
  /** Record an operation from `begin` until now.  Operations may overlap. */
  async(id: number, begin: Nanoseconds, message?: string): void;
  /** Record a part of the operation `id`, or an end of an arrow, now. */
  linked(kind: Link, id: number, message?: string): void;
}

/** Returns the same Site for the same texts. */
export function site(group: string, name: string): Site;

export function mark(
  group: string, name: string, begin: Nanoseconds,
  duration?: Nanoseconds, message?: string): void;
export function instant(group: string, name: string, message?: string): void;

/**
 * Call `fn` in a new operation.  If `fn` returns a promise, the operation lasts
 * until the promise settles, and operation() returns a promise that settles
 * after it.  Everything that `fn` calls and awaits runs within the operation.
 */
export function operation<T>(
  group: string, name: string, fn: () => T, message?: string): T;
/** Record a step of the current operation, if any. */
export function step(name: string, message?: string): void;
/** The current operation, for linked(); undefined outside of any operation. */
export function currentOperation():
  { readonly group: string; readonly id: number } | undefined;

export interface Counter {
  readonly category: string;
  readonly name: string;
  readonly description: string;
  readonly type: 'int64' | 'double';
  /** The value, common to all threads of the process. */
  readonly value: number;
  /** False if the process already has 4,096 other counters. */
  readonly isRecorded: boolean;
  set(value: number): void;
  /** Works like set(), but records nothing if the value is the same as
   * before. */
  update(value: number): void;
  /** The default of `change` is 1. */
  add(change?: number): void;
}

export function counter(
  category: string, name: string, description?: string,
  options?: { type?: 'int64' | 'double' }): Counter;

export type Severity =
  'error' | 'critical' | 'warning' | 'message' | 'info' | 'debug';
/** If the text is a function, log() calls it only during a recording. */
export type Text = string | (() => string);

export function log(severity: Severity, domain: string, text: Text): void;
export type Logger = { readonly [severity in Severity]: (text: Text) => void };
export function logger(domain: string): Logger;

/** Record a fact about the run. */
export function metadata(id: string, value: string): void;

/** Marks of this thread that are collected and recorded together. */
export const batch: {
  mark(site: Site, begin: Nanoseconds, duration: Nanoseconds): void;
  /** Add a mark from `begin`, a result of site.begin(), until now. */
  end(site: Site, begin: Nanoseconds): void;
  instant(site: Site): void;
  flush(): void;
  readonly capacity: number;
  readonly pending: number;
};

export interface Bridge {
  close(): void;
}

/** Record performance entries of `types` as marks; default: mark, measure. */
export function observePerformance(
  options?: { types?: readonly string[] }): Bridge & { flush(): void };

/** Record messages of a diagnostics channel as instants. */
export function subscribe(
  name: string | symbol,
  options?: {
    group?: string;
    describe?: (message: any, name: string | symbol) => string | undefined;
  }): Bridge;

/** Record operations of a TracingChannel as marks. */
export function traceChannel(
  name: string,
  options?: {
    group?: string;
    describe?: (context: any) => string | undefined;
  }): Bridge;

export interface StartOptions {
  /** %p is the pid, %n the program; the default is 'node-%p.syscap'. */
  output?: string;
  /** Recording stops when the capture has this size. */
  maxBytes?: number;
  /** Size of each thread's ring. */
  ringKiB?: number;
  /** The time between writes while events come, in ms. */
  intervalMs?: number;
  /** The longest time that the end of the process waits for the last events. */
  exitFlushMs?: number;
  /** false: only drain() writes events. */
  thread?: boolean;
}

/**
 * Record this process into a new file, and return the name of the file.  Errors
 * of start(), stop() and drain() have a `code`, such as 'EALREADY'.
 */
export function start(options?: StartOptions): string;
export function stop(): void;
export function drain(): void;

export interface Stats {
  active: boolean;
  /** The reason why recording is on or off. */
  reason: string;
  /** Number of dropped events of this process. */
  dropped: number;
  /** Number of dropped events that were begun and never finished. */
  abandoned: number;
  /** Dropped events that the capture does not count yet. */
  untold: number;
  rings: number;
  clockIsTsc: boolean;
  written: number;
  output: string;
}
export function stats(): Stats;

export type SamplerClock = 'auto' | 'cpu' | 'wall' | 'perf';

export interface SamplerOptions {
  /** Samples per second of each thread; the default is 1,000. */
  hz?: number;
  clock?: SamplerClock;
  /** With syscap/v8: all frames, only JavaScript frames, or only C++ frames. */
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

/** The sampler: records stacks of every thread of this process. */
export const sampler: {
  /** Returns a description of the sampling. */
  start(options?: SamplerOptions): string;
  stop(): void;
  stats(): SamplerStats;
};
