/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How explanations are told: to people, and to programs by keys and words that stay as they are.
 * Knows no option. */
#pragma once

#include "ctl/th-json.h"
#include "engine/th-explain.h"

/* "valid", "void: the file has changed" … for people. */
const char *th_tell_failure_state (ThFailState state);

/* Several lines, the last one saying what comes of it all. Caller frees. */
char *th_tell_file (const ThExplanation *about);
/* config is what the settings were read from, or NULL. Caller frees. */
char *th_tell_system (const ThExplainedSystem *system, const char *config);

/* One object each. */
void th_tell_file_json (ThJson *json, const ThExplanation *about);
void th_tell_system_json (ThJson *json, const ThExplainedSystem *system, const char *config);
