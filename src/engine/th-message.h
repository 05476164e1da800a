/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an error event says: the number for the bus and a text that names the URI. */
#pragma once

#include <glib.h>

#include "base/th-error.h"

/* The bus number of an error: TH_ERROR codes as they are, all else OTHER. */
ThError th_message_code (const GError *error);
/* The text to it. With number 8 it begins with "(domain NAME, code N) ", file errors told in the
 * terms of GIO, as clients know it. A few KiB at the most, also where the URI is longer. Caller
 * frees. */
char *th_message_text (const char *uri, const GError *error);
