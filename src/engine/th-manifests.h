/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the manifests of our own decoders say, read once: which types there are, which codec each
 * belongs to, and which worker has it. Never changes afterwards. */
#pragma once

#include <glib.h>

typedef struct
{
  GHashTable *known;   /* type → codec, interned; aliases included */
  GHashTable *modules; /* codec, interned → module, interned; built-in ones are not in it */
  GPtrArray *types;    /* the keys of known, sorted, NULL-terminated */
} ThManifests;

/* Reads the files FOLDER/NAME.manifest: key files in which each group [Codec CODEC] lists its types
 * under MimeTypes. NAME is the module, or "builtin"; where two name a type the built-in one has it,
 * then the first by name. What makes no sense is left out; NULL where the folder cannot be read or
 * holds nothing that does. */
ThManifests *th_manifests_read (const char *folder, GError **error);
ThManifests *th_manifests_ref (ThManifests *manifests);
void th_manifests_unref (ThManifests *manifests);

/* Lower-case copies of a type are what tables hold; NULL where it is not well-formed. Caller
 * frees. */
char *th_manifests_normalize (const char *type);
/* Adds a type to a table like known, unless it is there or not well-formed. */
void th_manifests_add_type (GHashTable *known, const char *type, const char *codec);
/* Adds all further names by which the shared MIME database knows what is in such a table. */
void th_manifests_add_aliases (GHashTable *known);
/* The keys of such a table, sorted, NULL-terminated, borrowed from it. */
GPtrArray *th_manifests_sorted (GHashTable *known);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThManifests, th_manifests_unref)
