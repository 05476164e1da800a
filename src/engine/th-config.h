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
 *   [service]
 *   idle-seconds=300        the service leaves after so long without work; 0: never
 *
 * and [rules], see th-rules.h. The file of the user's folder is laid over that of each system
 * folder, key by key. Where there is none at all the rules of tumbler.rc hold. A key or value that
 * makes no sense is a problem of the ThConf, and the default holds.
 */
#pragma once

#include <glib.h>

#include "base/th-limits.h"
#include "cache/th-sweep.h"
#include "engine/th-conf.h"
#include "engine/th-external-options.h"
#include "engine/th-readers.h"

/* $XDG_CONFIG_HOME/thimble/thimble.conf over that of each of $XDG_CONFIG_DIRS. Caller frees. */
ThConf *th_config_load (void);
/* tumbler.rc, where tumbler itself would find it. */
ThConf *th_config_load_tumbler (void);
/* What it says about the record, which holds the defaults. */
void th_config_read_limits (ThConf *conf, ThLimits *limits);
void th_config_read_external (ThConf *conf, ThExternalOptions *options);
void th_config_read_remote (ThConf *conf, ThReadersOptions *options, gboolean *fetch_cloud);
void th_config_read_specialized (ThConf *conf, guint *wall_ms);
void th_config_read_privacy (ThConf *conf, gboolean *keep_encrypted);
void th_config_read_cache (ThConf *conf, ThSweepBudget *budget);
void th_config_read_service (ThConf *conf, guint *idle_seconds);
/* The names of all keys but those of rules, one after the other; NULL behind the last. */
const char *th_config_nth (guint i, const char **group);
