/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decimal numbers in text that anybody may have written: one spelling a number, no locale, no
 * overflow. */
#pragma once

#include <glib.h>

/* All read at *cursor and move it behind the number; FALSE, and nothing moved, where there is
 * none. No space, no plus sign, no leading zero. */
gboolean th_decimal_u64 (const char **cursor, guint64 *value);
gboolean th_decimal_i64 (const char **cursor, gint64 *value);
/* Digits behind a decimal point as billionths; those after the ninth are read and dropped. */
gboolean th_decimal_fraction (const char **cursor, guint32 *billionths);
