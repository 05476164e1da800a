/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files in all kinds of trouble, and what is to be said of each. */
#pragma once

#include "engine-fixture.h"
#include "engine/th-explain.h"

typedef struct
{
  const char *name;
  void (*prepare) (Fixture *fixture, const char *path, const char *uri); /* before the engine is */
  const char *type;
  const char *uri;  /* NULL: of file */
  const char *file; /* NULL: NAME */
  const char *rules;
  const char *fake; /* a worker that misbehaves, or NULL */
  ThReason reason;
  int status; /* of the trial; -1: none */
  gboolean good;
  ThCacheState state; /* of the thumbnail */
  ThFailState failure;
  gboolean not_as_root;
  gboolean moves;  /* the file changes when it is tried */
  const char *why; /* in what is said of the outcome, or of the thumbnail; NULL: anything */
} Situation;

extern const Situation situations[];
extern const gsize n_situations;

/* Parts of them; path is where the picture goes, a.png, and uri is its. */
void situation_picture (Fixture *fixture, const char *path, const char *uri);
/* The same with a valid thumbnail. */
void situation_valid (Fixture *fixture, const char *path, const char *uri);
/* The same with a failure that is remembered. */
void situation_mark (Fixture *fixture, const char *path, const char *uri, ThStatus cause,
                     guint32 box, const char *handler);
