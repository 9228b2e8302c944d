// SPDX-License-Identifier: BSD-2-Clause
// deeds.vala - the deeds of deeds.c, in Vala.

void make_marks () {
    var id = Syscap.intern ("deeds", "by id");
    var now = Syscap.now ();

    Syscap.mark ("deeds", "mark", now, 5000000, "größe");
    Syscap.mark_since ("deeds", "since", now);
    Syscap.mark_since ("deeds", "since nothing", 0);
    Syscap.instant ("deeds", "instant", "a text");
    assert (id != 0);
    assert (Syscap.intern ("deeds", "by id") == id);
    Syscap.mark_by_id (id, now, 7);
    Syscap.mark_since_by_id (id, now, "until now");
    Syscap.mark_by_id (4000000, now, 7, "of nobody");
    Syscap.linked ("deeds", "job", Syscap.Link.BEGIN, 42, "go");
    Syscap.linked ("deeds", "job", Syscap.Link.END, 42);
    Syscap.metadata ("deeds.version", "1.0");
}

void make_scopes () {
    var block = new Syscap.Scope ("deeds", "block");
    var same = block;

    var scope = new Syscap.Scope ("deeds", "scope");
    scope.end ("done");
    scope.end ("again");
    var by_id = new Syscap.Scope.by_id (Syscap.intern ("deeds", "scope by id"));
    by_id.end ();
    var longer = new Syscap.Scope ("ääääääääääääääää",
                                   "öööööööööööööööööööööööööööööööö");
    longer.end ();
    block = null;
    assert (same != null);
}

void set_counters () {
    var whole = new Syscap.Counter ("deeds", "whole", "An integer",
                                    Syscap.CounterType.INT64);
    var real = new Syscap.Counter ("deeds", "real", "A double",
                                   Syscap.CounterType.DOUBLE);

    assert (whole.is_valid ());
    whole.set_int64 (-5);
    whole.set_double (2.9);
    whole.set_double (1e300);
    real.set_double (0.5);
    real.set_int64 (3);
    whole.update_int64 (8);
    whole.update_int64 (8);
    real.update_double (8.25);
    real.update_double (8.25);
    var sum = new Syscap.Counter ("deeds", "sum", "Added",
                                  Syscap.CounterType.INT64);
    sum.add ();
    sum.add (6);
    sum.add (-2);
}

void main () {
    make_marks ();
    make_scopes ();
    set_counters ();
    Syscap.log ("deeds", LogLevelFlags.LEVEL_INFO, "a line");
    print ("%s\n", Syscap.is_active () ? "recorded" : "off");
}
