/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hears which volumes are about to be unmounted, from the process that watches them. Knows no
 * request and no file. */
#pragma once

#include <glib.h>

typedef struct _ThVolumes ThVolumes;

/* leaving is called with an absolute path from the main context that is the thread default of
 * th_volumes_new. Starts nothing yet. */
ThVolumes *th_volumes_new (void (*leaving) (const char *mount_point, gpointer data), gpointer data);
/* Ends the process. */
void th_volumes_free (ThVolumes *volumes);

/* There is work: the process runs from now on, where there is a volume at all. To be called for
 * each request, for one may have been mounted since the last; costs next to nothing. */
void th_volumes_need (ThVolumes *volumes);
/* There is none any more: the process ends in some seconds. */
void th_volumes_rest (ThVolumes *volumes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThVolumes, th_volumes_free)
