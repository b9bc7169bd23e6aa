import carillon.client.CarillonException;

/** How an example ends with an error: one line, and exit status 1. */
final class Failed {
    private Failed() {
    }

    static void exit(CarillonException error) {
        String line = error.codeName() + " " + error.effect() + ": " + error.field().orElse("");
        System.err.println(line.stripTrailing());
        System.exit(1);
    }
}
