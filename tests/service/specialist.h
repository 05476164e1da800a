/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A specialised thumbnailer that does as the names of its files say. Knows no service. */
#pragma once

#include "bus-fixture.h"
#include "cache/th-cache.h"

#define TYPE    "application/x-thimble-special"
#define MANAGER "org.freedesktop.thumbnails.Manager1"
#define SPECIAL "org.freedesktop.thumbnails.SpecializedThumbnailer1"
#define OBJECT  "/org/freedesktop/thumbnails/SpecializedThumbnailer1"

/* A specialised thumbnailer in a thread of its own. It does as the file's name says. */
typedef struct
{
  TestBus *bus;
  GMainContext *context;
  GMainLoop *loop;
  GThread *thread;
  GDBusConnection *connection;
  GDBusNodeInfo *info;
  ThCache *cache;
  gint asked;    /* Queue calls so far */
  gint given_up; /* Dequeue calls so far */
  guint32 last;
} Specialist;

/* name: on the bus, or NULL. */
Specialist *specialist_new (TestBus *bus, const char *name);
void specialist_free (Specialist *specialist);
/* Writes a file that none of our decoders knows; its URI, which the caller frees. */
char *special_uri (TestBus *bus, const char *name);
/* Calls Manager1's Register; whether that succeeded. */
gboolean call_register (GDBusConnection *connection, GVariant *parameters);
