syscap record: renamed the existing boxed.syscap to boxed.syscap.old
a childsyscap record: recording of 1 thread ended early: a seccomp filter of the program forbids a system call
syscap record: 109 of 248 ms of processor time could not be sampled
syscap record: boxed.syscap: 2,991 frames of 1 process, 1 thread, 132 samples, 1,000 allocations, 0 frames lost
syscap record: 100.0 % of the addresses in stacks have names
syscap record:  58.6 %  burn_before  (record_boxed)
syscap record:  40.6 %  poll  (libc.so.6)
syscap record:   0.8 %  write  (libc.so.6)
syscap record: 4.3 % of the wall time was syscap itself, 0.7 % for --memory
syscap record: next: syscap stat boxed.syscap
