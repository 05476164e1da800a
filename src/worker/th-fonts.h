/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the fonts of this system and of its user lie. Knows no font. */
#pragma once

#include <glib.h>

/* The folders that fontconfig reads: fonts, its configuration and its caches; some may not exist.
 * Lets it find them, too, by setting HOME. Before the lock-down. */
GStrv th_fonts_folders (void);
