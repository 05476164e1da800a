/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs on the bus that make thumbnails of their own kinds of files (org.freedesktop.thumbnails,
 * SpecializedThumbnailer1): those that have registered, and those of description files. Calls
 * nobody itself. All functions may be called from several threads at once. */
#pragma once

#include "base/th-error.h"
#include "base/th-flavor.h"

/* Pairs of a scheme and a type that one caller, and all callers together, may register. */
#define TH_SPECIALISTS_EACH 20000u
#define TH_SPECIALISTS_ALL  100000u

typedef struct
{
  gatomicrefcount refs;
  char *name; /* on the bus: unique for one that has registered */
  char *path; /* of its object */
  char *file; /* description file, by its name; NULL: it has registered */
} ThSpecialist;

ThSpecialist *th_specialist_ref (ThSpecialist *specialist);
void th_specialist_unref (ThSpecialist *specialist);

typedef struct _ThSpecialists ThSpecialists;

/* folders: of description files and "overrides", as for th_entries_new. Nothing is read yet. */
ThSpecialists *th_specialists_new (const char *const *folders);
void th_specialists_free (ThSpecialists *specialists);

/* owner serves each of these schemes with each of these types from now on, before all others that
 * did so far. Types are compared as they stand, but for upper and lower case. TH_ERROR_OTHER: too
 * many, or none of them is well-formed; nothing has changed then. */
gboolean th_specialists_register (ThSpecialists *specialists, const char *owner,
                                  const char *const *schemes, const char *const *mime_types,
                                  GError **error);
/* owner has left the bus. */
void th_specialists_forget (ThSpecialists *specialists, const char *owner);

/* Who serves the pair, in the order in which they are tried: the one that an override names, those
 * that registered, last first, and those of description files, newest first. Elements are
 * ThSpecialist; the caller unrefs the array. */
GPtrArray *th_specialists_find (ThSpecialists *specialists, const char *scheme,
                                const char *mime_type);
/* Cheaper: whether there is any. */
gboolean th_specialists_serve (ThSpecialists *specialists, const char *scheme,
                               const char *mime_type);
/* All pairs, each once, by scheme, then by type. */
void th_specialists_pairs (ThSpecialists *specialists,
                           void (*pair) (const char *scheme, const char *mime_type, gpointer data),
                           gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThSpecialist, th_specialist_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThSpecialists, th_specialists_free)
