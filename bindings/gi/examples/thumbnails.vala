// SPDX-License-Identifier: BSD-2-Clause
// thumbnails.vala - a loop that pretends to draw pictures, and records its
// work:
//
//	valac --pkg syscap-glib-1 thumbnails.vala
//	syscap record -o vala.syscap -- ./thumbnails
//	syscap stat vala.syscap

const int N_PICTURES = 40;

uint scale (uint size) {
    // The scope lasts until the function returns or throws.
    var scope = new Syscap.Scope ("thumbnails", "scale");
    uint sum = 0;

    for (uint i = 0; i < size * 10000; i++)
        sum = (sum * 31 + i) % 65521;
    scope.end ("to %u".printf (size));
    return sum;
}

void draw (int i) {
    var begin = Syscap.begin ();

    scale (20 + i % 7 * 10);
    if (i % 10 == 9)
        Syscap.instant ("thumbnails", "flush", @"after $(i + 1)");
    Syscap.mark_since ("thumbnails", "draw", begin, @"picture $i");
}

void main () {
    var drawn = new Syscap.Counter ("thumbnails", "drawn", "Pictures drawn",
                                    Syscap.CounterType.INT64);
    var mib = new Syscap.Counter ("thumbnails", "MiB", "Size of all pictures",
                                  Syscap.CounterType.DOUBLE);

    {
        var all = new Syscap.Scope ("thumbnails", "draw all");

        for (var i = 0; i < N_PICTURES; i++) {
            draw (i);
            drawn.set_int64 (i + 1);
            mib.set_double ((i + 1) * 0.75);
        }
        all.end ();
    }
    Syscap.log ("thumbnails", LogLevelFlags.LEVEL_INFO, "all are drawn");
    print ("%d pictures, %s\n", N_PICTURES,
           Syscap.is_active () ? "recorded" : "not recorded");
}
