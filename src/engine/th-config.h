/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimble.conf: what a person may set, checked. Knows nothing of who uses it.
 *
 *   [limits]
 *   max-megapixels=300      pixels of a picture
 *   max-decode-mib=512      memory of one decode
 *   memory-budget-mib=1024  memory of all decodes together
 *   cpu-seconds=10          CPU time of one decode
 *   wall-seconds=20         elapsed time of one decode
 *   embedded-previews=true  take a preview that the file brings where it shows the same
 *
 *    [external]
 *   wall-seconds=20         elapsed time of one program of others
 *   memory-mib=1024         memory of each of its processes
 *   allow-unsandboxed=false run them bare where they cannot be locked in
 *
 *   [remote]
 *   stall-seconds=10        a server that says nothing for so long is given up
 *   wall-seconds=20         elapsed time of fetching one file
 *   max-mib=64              larger files are not copied: what only GVfs reaches has no thumbnail
 *   fetch-cloud=false       fetch files of cloud stores for their thumbnails
 *
 *   [cache]
 *   max-size-mib=1024       on the disk; cleaning removes what was not used for the longest time
 *   max-age-days=180        and what was not used for so long
 *
 *   [specialized]
 *   wall-seconds=20         patience with a specialised thumbnailer on the bus
 *
 *   [privacy]
 *   encrypted-folders=false keep thumbnails of what gocryptfs and its kin show in the clear
 *
 * and [rules], see th-rules.h. Where there is no thimble.conf the rules of tumbler.rc hold.
 */
#pragma once

#include <glib.h>

#include "base/th-limits.h"
#include "cache/th-sweep.h"
#include "engine/th-external-options.h"
#include "engine/th-readers.h"

/* The file that counts: of the user's folder, else of the first system folder that has one; NULL
 * where there is none. Caller frees. */
char *th_config_find (void);
/* Parses it; NULL where it cannot be read or is no key file. A pipe is not waited for. */
GKeyFile *th_config_load (const char *path, GError **error);
/* The same for tumbler.rc, where tumbler itself would find it. */
char *th_config_find_tumbler (void);
/* Reads [limits] of a file over what limits holds. A value that makes no sense leaves its limit
 * alone and adds a sentence to problems (may be NULL). FALSE where the file cannot be read or is no
 * key file. */
gboolean th_config_read_limits (const char *path, ThLimits *limits, GPtrArray *problems,
                                GError **error);
/* Reads [external], [specialized], [privacy] and [remote], as above. */
void th_config_read_external (GKeyFile *file, ThExternalOptions *options, GPtrArray *problems);
void th_config_read_privacy (GKeyFile *file, gboolean *keep_encrypted, GPtrArray *problems);
void th_config_read_specialized (GKeyFile *file, guint *wall_ms, GPtrArray *problems);
void th_config_read_remote (GKeyFile *file, ThReadersOptions *options, gboolean *fetch_cloud,
                            GPtrArray *problems);
void th_config_read_cache (GKeyFile *file, ThSweepBudget *budget, GPtrArray *problems);
