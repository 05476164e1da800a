/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures for the service to work on, generated. */
#pragma once

#include "base/th-flavor.h"
#include "bus-fixture.h"

/* A PNG of side × side pixels that differ by seed, below the folder of pictures. Returns its URI;
 * caller frees. */
char *test_picture (TestBus *bus, const char *name, guint side, guint seed);
/* n of them, named 0.png and on. Caller frees. */
char **test_pictures (TestBus *bus, guint n, guint side);
/* Where the thumbnail of uri belongs. Caller frees. */
char *test_thumbnail (TestBus *bus, const char *uri, ThFlavor flavor);
/* Asserts that it is there and a whole PNG that fits its box. */
void test_check_thumbnail (TestBus *bus, const char *uri, ThFlavor flavor);
