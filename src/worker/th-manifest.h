/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the codecs of this program can do, written down for those that must not load them. */
#pragma once

/* A key file with a group "Codec NAME" for each: MimeTypes, Needs where it has any. Caller frees.
 */
char *th_manifest_text (void);
