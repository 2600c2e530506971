// What runs under qemu: a program that receives code and inputs, calls the code and replies, for ever.
//
// `runner.rs` has the words that an assembler makes of this, puts a header before them, and says what lies where. A
// request is HEAD_SIZE bytes, the size of the code that follows (0: the code that is there already) and the memory that
// the code is passed; then the code. A reply is four words, the signal that ended the code (0: none, it returned), what
// it returned or where the signal came, the address that the signal names, how many values were emitted; then these.
//
// Nothing is kept in registers from one request to the next, so that the code may ruin them all.

        .equ IMAGE, 0x400078
        .equ HEAD, 0x500000
        .equ HEAD_SIZE, 4096
        .equ CODE, 0x600000
        .equ REPLY, 0x700000
        .equ SIGNAL_STACK, 0x800000
        .equ SIGNAL_STACK_SIZE, 0x10000
        .equ STACK_END, 0x900000
        .equ MOST_EMITTED, 0x10000

        .equ SIGILL, 4                  // the first of those that code can cause
        .equ SIGSEGV, 11                // the last
        .equ SIGINFO_ADDRESS, 16
        .equ CONTEXT_PC, 440
        .equ SA_FLAGS, 0x48000004       // SA_SIGINFO, SA_ONSTACK, SA_NODEFER: a handler that never returns
        .equ MSG_WAITALL, 0x100

        .equ SYS_WRITE, 64
        .equ SYS_EXIT_GROUP, 94
        .equ SYS_SIGALTSTACK, 132
        .equ SYS_RT_SIGACTION, 134
        .equ SYS_RECVFROM, 207

// Called by the code with a value, which is recorded; one too many is recorded too, further ones are not.
emit:   mov     x9, #REPLY
        ldr     x10, [x9, #24]
        cmp     x10, #MOST_EMITTED
        b.hi    full
        add     x11, x9, x10, lsl #3
        str     x0, [x11, #32]
        add     x10, x10, #1
        str     x10, [x9, #24]
full:   ret

start:  adr     x0, stack
        mov     x1, #0
        mov     x8, #SYS_SIGALTSTACK
        svc     #0
        mov     x19, #SIGILL
each:   mov     x0, x19
        adr     x1, action
        mov     x2, #0
        mov     x3, #8
        mov     x8, #SYS_RT_SIGACTION
        svc     #0
        add     x19, x19, #1
        cmp     x19, #SIGSEGV + 1
        b.ne    each

next:   mov     x9, #STACK_END
        mov     sp, x9
        mov     x1, #HEAD
        mov     x2, #HEAD_SIZE
        bl      receive
        mov     x1, #HEAD
        ldr     x2, [x1]
        cbz     x2, call
        mov     x1, #CODE
        bl      receive

call:   mov     x9, #REPLY
        str     xzr, [x9, #24]
        mov     x0, #HEAD
        add     x0, x0, #8
        mov     x9, #CODE
        blr     x9
        mov     x1, x0
        mov     x0, #0
        mov     x2, #0

// Replies with the words in x0, x1, x2 and with what was emitted. Ends the process if that can't be: code that goes astray
// may have overwritten the count.
reply:  mov     x9, #REPLY
        stp     x0, x1, [x9]
        str     x2, [x9, #16]
        ldr     x2, [x9, #24]
        lsr     x3, x2, #17             // twice MOST_EMITTED
        cbnz    x3, end
        lsl     x2, x2, #3
        add     x2, x2, #32
        mov     x1, x9
        mov     x0, #0
        mov     x8, #SYS_WRITE
        svc     #0
        b       next

// A signal's handler. It leaves for good: what the code was doing is of no interest any more.
signal: ldr     x3, [x2, #CONTEXT_PC]
        ldr     x2, [x1, #SIGINFO_ADDRESS]
        mov     x1, x3
        b       reply

// Receives x2 bytes at x1. Ends the process when there is nobody to send any.
receive:
        mov     x0, #0
        mov     x3, #MSG_WAITALL
        mov     x4, #0
        mov     x5, #0
        mov     x8, #SYS_RECVFROM
        svc     #0
        cmp     x0, x2
        b.ne    end
        ret

end:    mov     x0, #0
        mov     x8, #SYS_EXIT_GROUP
        svc     #0

action: .quad   IMAGE + (signal - emit), SA_FLAGS, 0, 0
stack:  .quad   SIGNAL_STACK, 0, SIGNAL_STACK_SIZE
