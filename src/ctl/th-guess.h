/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The MIME type of a file by its name and, where that says little, its first bytes: the same guess
 * as file managers make, good enough to ask for a thumbnail. Knows no picture format. */
#pragma once

/* path may be NULL, then uri alone decides. An interned string. */
const char *th_guess_type (const char *uri, const char *path);
