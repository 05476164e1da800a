/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a block device can be taken out of the machine, from /sys alone. Knows no mount. */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* folder: NULL: /sys/dev/block. What is not known there may be, as may what lies upon one that can:
 * disks on USB and FireWire, cards, discs, images. */
gboolean th_removable (const char *folder, dev_t device);
