/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file apart (th-apart.h), for one job: who looks at it, what they found, and by which way its
 * picture is had. Knows no request. */
#pragma once

#include "engine/th-check.h"
#include "engine/th-job.h"

typedef struct
{
  ThEngine *engine;
  ThJob *job;
  char *uri;
  char *path;     /* NULL: only GVfs reaches it */
  char *name;     /* th-apart.h */
  gboolean cloud; /* reading it fetches it from a far store */
  ThFacts facts;
  guint64 held; /* bytes of engine->copies */
} ThFar;

/* Names what the URI's file lies on. FALSE: this machine can be trusted to answer for it. */
gboolean th_far_name (ThFar *far, ThEngine *engine, const char *uri);
/* Has it looked at, for a job whose source leads there afterwards. What does not answer is not
 * asked again for a while, whoever wants to. */
gboolean th_far_look (ThFar *far, ThJob *job, GError **error);
/* What the look means for somebody who wants this flavor. */
void th_far_check (ThFar *far, const char *mime_type, ThFlavor flavor, ThCheck *check);
/* Its own small picture where that suffices, else the file, copied unless it is too large for that.
 * As th_job_decode. */
gboolean th_far_decode (ThFar *far, ThFlavors flavors, const char *const *decoders, GError **error);
/* Programs of others need a file, not a copy in memory. */
gboolean th_far_open_for_programs (ThFar *far, GError **error);
/* Whether it has left its name. FALSE where that cannot be told. */
gboolean th_far_is_gone (ThFar *far);
/* Before the job is cleared. */
void th_far_clear (ThFar *far);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThFar, th_far_clear)
