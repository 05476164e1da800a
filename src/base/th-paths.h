/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the other parts of the program lie, installed or in the build tree. */
#pragma once

#include <glib.h>

/* TRUE where this very binary lies in a build tree. Debug knobs in the environment are honoured
 * only then. */
gboolean th_paths_uninstalled (void);
/* Path of thimble-worker. In a build tree TH_WORKER may name another. Caller frees. */
char *th_paths_worker (void);
/* Folder of the modules' workers. In a build tree TH_MODULES may name another. Caller frees. */
char *th_paths_modules (void);
/* Path of a module's worker in such a folder. Caller frees. */
char *th_paths_module (const char *folder, const char *name);
/* Path of thimble-external. In a build tree TH_EXTERNAL may name another. Caller frees. */
char *th_paths_external (void);
/* Path of thimble-reader. In a build tree TH_READER may name another. Caller frees. */
char *th_paths_reader (void);
/* Path of thimble-volumes. In a build tree TH_VOLUMES may name another. Caller frees. */
char *th_paths_volumes (void);
/* Folder of the *.manifest files. In a build tree TH_MANIFESTS may name another. Caller frees. */
char *th_paths_manifests (void);
/* Folder of the files that thimblectl enable links to. In a build tree TH_DATA may name another.
 * Caller frees. */
char *th_paths_data (void);
