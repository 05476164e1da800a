/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One case of the conformance suite: what is seen of a service, from the bus and in the cache, in
 * words. Knows nothing of which service it is. */
#pragma once

#include "bus-fixture.h"

typedef struct
{
  TestBus *bus;
  TestClient *client;
  char *program;
  gboolean is_tumbler;
} Conformance;

/* What tumblerd says depends on what else is installed: not compared. */
#define CONFORMANCE_VARIES "varies"

typedef struct
{
  const char *name;
  char *(*see) (Conformance *conformance); /* caller frees */
  const char *expected;
  const char *tumbler; /* where that differs; docs/differences-from-tumbler.md has the name */
} ConformanceCase;

/* Each ends with a row without a name. */
extern const ConformanceCase conformance_thumbnailer[];
extern const ConformanceCase conformance_cache[];
extern const ConformanceCase conformance_manager[];

/* The answers of a request, each signal as a word; sorted where their order is nobody's. */
char *conformance_answers (Conformance *conformance, guint32 handle, gboolean sorted);
/* The same for one file. */
char *conformance_ask (Conformance *conformance, const char *uri, const char *mime_type,
                       const char *flavor);
