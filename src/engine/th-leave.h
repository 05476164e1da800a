/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mount that is about to go, and which files lie on it. Touches none of them. */
#pragma once

#include "engine/th-mounts.h"
#include "engine/th-scheduler.h"

typedef struct
{
  gatomicrefcount refs;
  char *point;      /* absolute, canonical */
  char *uri;        /* of the point, with a slash at its end */
  dev_t device;     /* of files there, 0: no one number */
  gboolean apart;   /* files there have keys of that kind, th-apart.h */
  ThMounts *mounts; /* borrowed */
} ThLeave;

ThLeave *th_leave_new (ThMounts *mounts, const char *point);
ThLeave *th_leave_ref (ThLeave *leave);
void th_leave_unref (ThLeave *leave);

/* Whether both are the same mount. */
gboolean th_leave_is_same (const ThLeave *a, const ThLeave *b);
/* Whether the file of this URI and key lies there. By its spelling; only where the device agrees,
 * or is not known, by where links lead. */
gboolean th_leave_concerns (const ThLeave *leave, const char *uri, const ThFileKey *key);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThLeave, th_leave_unref)
