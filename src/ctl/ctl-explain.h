/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl explain: why a file has, or has no, thumbnail. */
#pragma once

int ctl_explain (int argc, char **argv);
