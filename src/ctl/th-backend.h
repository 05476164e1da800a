/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where thumbnails are made: by the service on the session bus, or by an engine in this process.
 * Knows nothing of files and folders. */
#pragma once

#include "engine/th-engine.h"

typedef struct _ThBackend ThBackend;

/* From the main context, never from within th_backend_queue. A ticket ends with finished or lost.
 */
typedef struct
{
  void (*ready) (guint ticket, const char *const *uris, gpointer data);
  void (*error) (guint ticket, const char *const *uris, ThError code, const char *message,
                 gpointer data);
  void (*finished) (guint ticket, gpointer data);
  /* The service went away with it, or never took it; why is for people. */
  void (*lost) (guint ticket, const char *why, gpointer data);
} ThBackendEvents;

/* NULL without an error where there is no bus, or nobody on it who makes thumbnails. */
ThBackend *th_backend_bus_new (const ThBackendEvents *events, gpointer data);
/* jobs: files that are decoded at a time; 0: as many as there are cores. */
ThBackend *th_backend_local_new (const ThBackendEvents *events, gpointer data, guint jobs,
                                 GError **error);
/* Gives up what is not finished; no event comes any more. */
void th_backend_free (ThBackend *backend);

/* Takes a request; uris and mime_types pair up and are NULL-terminated. */
guint th_backend_queue (ThBackend *backend, const char *const *uris, const char *const *mime_types,
                        ThFlavor flavor, ThClass klass);
/* Why nothing can be decoded, or NULL where that is not known. Caller frees. */
char *th_backend_trouble (ThBackend *backend);
/* "the service" or "this process". */
const char *th_backend_who (const ThBackend *backend);

/* What the two kinds of backend fill in; each begins with a ThBackend. */
struct _ThBackend
{
  const char *who;
  ThBackendEvents events;
  gpointer data;
  guint (*queue) (ThBackend *backend, const char *const *uris, const char *const *mime_types,
                  ThFlavor flavor, ThClass klass);
  char *(*trouble) (ThBackend *backend);
  void (*free) (ThBackend *backend);
};

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThBackend, th_backend_free)
