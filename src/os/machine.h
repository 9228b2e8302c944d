/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.h - parts of the process that depend on the processor: system call,
 * control block of a thread, numbers.  unwind/machine.h and sampler/machine.h
 * have the parts of these layers.
 */
#ifndef SYC_OS_MACHINE_H
#define SYC_OS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/*
 * SYC_AUDIT_ARCH     The machine in a seccomp filter (linux/audit.h).
 * SYC_VDSO_CLOCK     The vDSO's function that reads a clock.
 * SYC_SYS_CLOCK, SYC_SYS_FUTEX
 *                    Numbers of system calls with 64-bit times, which
 *                    32-bit machines have since Linux 5.1.
 * SYC_CLAIMS_BEGIN   Address of the claims, for copies with all ABI numbers.
 *                    The kernel maps nothing there by itself, and no sanitizer
 *                    has its shadow there.  On x86-64 the addresses are below
 *                    the executables, among those that all sanitizers leave to
 *                    the program.  On aarch64 the claims are in the first
 *                    64 GiB, which each size of address space has.  On i386
 *                    claims are above programs without PIE, and below
 *                    libraries.
 * SYC_HAS_RESTORER   The kernel's struct of a signal's action has the address
 *                    to which the handler returns (on i386: or 0).
 * SYC_VDSO_RETURNS   Handlers may return to the vDSO.
 */
#if defined(__x86_64__)
#define SYC_AUDIT_ARCH   AUDIT_ARCH_X86_64
#define SYC_VDSO_CLOCK   "__vdso_clock_gettime"
#define SYC_CLAIMS_BEGIN UINT64_C(0x551000010000)
#define SYC_HAS_RESTORER 1
#define SYC_VDSO_RETURNS 0
#elif defined(__aarch64__)
#define SYC_AUDIT_ARCH   AUDIT_ARCH_AARCH64
#define SYC_VDSO_CLOCK   "__kernel_clock_gettime"
#define SYC_CLAIMS_BEGIN UINT64_C(0xE10010000)
#define SYC_HAS_RESTORER 0
#define SYC_VDSO_RETURNS 1
#elif defined(__i386__)
#define SYC_AUDIT_ARCH   AUDIT_ARCH_I386
#define SYC_VDSO_CLOCK   "__vdso_clock_gettime64"
#define SYC_CLAIMS_BEGIN UINT64_C(0x30010000)
#define SYC_HAS_RESTORER 1
#define SYC_VDSO_RETURNS 1
#elif defined(__arm__) && defined(__ARMEL__) && defined(__ARM_EABI__)
#define SYC_AUDIT_ARCH   AUDIT_ARCH_ARM
#define SYC_VDSO_CLOCK   "__vdso_clock_gettime64"
#define SYC_CLAIMS_BEGIN UINT64_C(0x30010000)
#define SYC_HAS_RESTORER 1
#define SYC_VDSO_RETURNS 1
#elif defined(__riscv) && __riscv_xlen == 64
#define SYC_AUDIT_ARCH   AUDIT_ARCH_RISCV64
#define SYC_VDSO_CLOCK   "__vdso_clock_gettime"
#define SYC_CLAIMS_BEGIN UINT64_C(0xE10010000)
#define SYC_HAS_RESTORER 0
#define SYC_VDSO_RETURNS 1
#elif defined(__powerpc64__) && _CALL_ELF == 2 && defined(__LITTLE_ENDIAN__)
#define SYC_AUDIT_ARCH   AUDIT_ARCH_PPC64LE
#define SYC_VDSO_CLOCK   "__kernel_clock_gettime"
#define SYC_CLAIMS_BEGIN UINT64_C(0xE10010000)
#define SYC_HAS_RESTORER 1
#define SYC_VDSO_RETURNS 1
#elif defined(__s390x__)
#define SYC_AUDIT_ARCH   AUDIT_ARCH_S390X
#define SYC_VDSO_CLOCK   "__kernel_clock_gettime"
#define SYC_CLAIMS_BEGIN UINT64_C(0xE10010000)
#define SYC_HAS_RESTORER 1
#define SYC_VDSO_RETURNS 1
#else
#error "the library does not support this machine, see docs/install.md"

#endif

#if __SIZEOF_LONG__ == 8
#define SYC_SYS_CLOCK SYS_clock_gettime
#define SYC_SYS_FUTEX SYS_futex
#else
#define SYC_SYS_CLOCK SYS_clock_gettime64
#define SYC_SYS_FUTEX SYS_futex_time64
#endif

/**
 * Run the system call instruction.  Returns the kernel's result, which is
 * -errno for a failure.  Does not change errno.
 *
 * Context: any-thread, signal-safe.
 */
static inline __attribute__((always_inline)) long
syc_raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long r;

	__asm__ volatile("syscall"
	                 : "=a"(r)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
	                   "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return r;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	register long r __asm__("x0") = a;

	__asm__ volatile("svc #0"
	                 : "+r"(r)
	                 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
	                 : "memory");
	return r;
#elif defined(__arm__)
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;
	register long r3 __asm__("r3") = d;
	register long r4 __asm__("r4") = e;
	register long r5 __asm__("r5") = f;
	register long r __asm__("r0") = a;

	/* The kernel expects the number in r7, which may be the frame
	 * pointer */
	__asm__ volatile("mov ip, r7\n\t"
	                 "mov r7, %1\n\t"
	                 "svc #0\n\t"
	                 "mov r7, ip"
	                 : "+r"(r)
	                 : "r"(number), "r"(r1), "r"(r2), "r"(r3), "r"(r4),
	                   "r"(r5)
	                 : "ip", "memory");
	return r;
#elif defined(__riscv)
	register long a7 __asm__("a7") = number;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;
	register long r __asm__("a0") = a;

	__asm__ volatile("ecall"
	                 : "+r"(r)
	                 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
	                 : "memory");
	return r;
#elif defined(__powerpc64__)
	register long r0 __asm__("r0") = number;
	register long r4 __asm__("r4") = b;
	register long r5 __asm__("r5") = c;
	register long r6 __asm__("r6") = d;
	register long r7 __asm__("r7") = e;
	register long r8 __asm__("r8") = f;
	register long r __asm__("r3") = a;

	/* A failure sets the overflow bit, and its number is positive */
	__asm__ volatile("sc\n\t"
	                 "bns+ 0f\n\t"
	                 "neg 3, 3\n"
	                 "0:"
	                 : "+r"(r0), "+r"(r), "+r"(r4), "+r"(r5), "+r"(r6),
	                   "+r"(r7), "+r"(r8)
	                 :
	                 : "r9", "r10", "r11", "r12", "ctr", "xer", "cr0",
	                   "memory");
	return r;
#elif defined(__s390x__)
	register long r1 __asm__("r1") = number;
	register long r3 __asm__("r3") = b;
	register long r4 __asm__("r4") = c;
	register long r5 __asm__("r5") = d;
	register long r6 __asm__("r6") = e;
	register long r7 __asm__("r7") = f;
	register long r __asm__("r2") = a;

	__asm__ volatile("svc 0"
	                 : "+r"(r)
	                 : "r"(r1), "r"(r3), "r"(r4), "r"(r5), "r"(r6), "r"(r7)
	                 : "cc", "memory");
	return r;
#else
	/* ebp, the sixth argument, may be the frame pointer */
	const long sixth[2] = { number, f };
	long r = (long)(intptr_t)sixth;

	__asm__ volatile("push %%ebp\n\t"
	                 "mov 4(%%eax), %%ebp\n\t"
	                 "mov (%%eax), %%eax\n\t"
	                 "int $0x80\n\t"
	                 "pop %%ebp"
	                 : "+a"(r)
	                 : "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
	                 : "memory");
	return r;
#endif
}

/*
 * The calling thread's control block, to which the register of thread-local
 * storage points.  Unlike a thread's id, the address of the control block is
 * the same after fork().
 */

/**
 * Return whether the calling thread has a control block, and so thread-local
 * storage.  IFUNC resolvers of a static program run before the control block
 * exists.  Does not change errno, which is in thread-local storage.
 *
 * Context: any-thread, signal-safe.
 */
static inline bool syc_thread_pointer_is_set(void)
{
#if defined(__x86_64__)
	const long arch_get_fs = 0x1003;
	uintptr_t tp = 0;

	return syc_raw_syscall(SYS_arch_prctl, arch_get_fs, (long)(intptr_t)&tp,
	                       0, 0, 0, 0) != 0 ||
	       tp != 0;
#elif defined(__i386__)
	uint32_t selector;

	__asm__("mov %%gs, %0" : "=r"(selector));
	return selector != 0;
#elif defined(__powerpc64__)
	uintptr_t tp;

	__asm__("mr %0, 13" : "=r"(tp));
	return tp != 0;
#else
	return __builtin_thread_pointer() != NULL;
#endif
}

/** The address of the control block.  Context: any-thread, signal-safe, in a
 * thread that the C library made. */
static inline uintptr_t syc_thread_pointer(void)
{
#if defined(__x86_64__)
	uintptr_t tp;

	__asm__("movq %%fs:0, %0" : "=r"(tp));
	return tp;
#elif defined(__i386__)
	uintptr_t tp;

	__asm__("movl %%gs:0, %0" : "=r"(tp));
	return tp;
#elif defined(__powerpc64__)
	uintptr_t tp;

	/* The register is above the end of the control block */
	__asm__("mr %0, 13" : "=r"(tp));
	return tp - 0x7000;
#else
	return (uintptr_t)__builtin_thread_pointer();
#endif
}

#endif
