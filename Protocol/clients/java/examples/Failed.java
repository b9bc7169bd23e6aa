import carillon.client.CarillonException;

/** How an example ends without its arguments, or with an error: one line, and exit status 2 or 1. */
final class Failed {
    private Failed() {
    }

    /** Ends the program unless there are as many arguments as names. */
    static void unlessGiven(String[] arguments, String... names) {
        if (arguments.length != names.length) {
            System.err.println("the arguments are " + String.join(" ", names));
            System.exit(2);
        }
    }

    static void exit(CarillonException error) {
        String line = error.codeName() + " " + error.effect() + ": " + error.field().orElse("");
        System.err.println(line.stripTrailing());
        System.exit(1);
    }
}
