import { z } from "zod";

// zod compiles schemas with `new Function` where it may. The page's policy forbids that, so it must not even try.
z.config({ jitless: true });
