package carillon.client;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Options of environment variables. An empty variable counts as missing. */
final class EnvironmentVariables {
    private EnvironmentVariables() {
    }

    static Options options(Map<String, String> variables) {
        Options options = named("CARILLON_SERVER",
            () -> Options.of(get(variables, "CARILLON_SERVER", "127.0.0.1:7474")));
        String keyFile = get(variables, "CARILLON_API_KEY_FILE", null);
        String key = get(variables, "CARILLON_API_KEY", null);
        if (keyFile != null) {
            named("CARILLON_API_KEY_FILE", () -> options.apiKeyFile(Path.of(keyFile)));
        } else if (key != null) {
            named("CARILLON_API_KEY", () -> options.apiKey(key));
        }
        options.app = get(variables, "CARILLON_APP", null);
        String ca = get(variables, "CARILLON_CA_FILE", null);
        if (ca != null) {
            named("CARILLON_CA_FILE", () -> options.caFile(Path.of(ca)));
        }
        certificate(variables, options);
        String security = get(variables, "CARILLON_SECURITY", "auto");
        named("CARILLON_SECURITY", () -> options.security(security(security)));
        return options;
    }

    private static void certificate(Map<String, String> variables, Options options) {
        String certificate = get(variables, "CARILLON_CERTIFICATE_FILE", null);
        String key = get(variables, "CARILLON_CERTIFICATE_KEY_FILE", null);
        if ((certificate == null) != (key == null)) {
            String missing = certificate == null ? "CARILLON_CERTIFICATE_FILE" : "CARILLON_CERTIFICATE_KEY_FILE";
            throw CarillonException.invalid(missing, "is missing");
        }
        if (certificate != null) {
            named("CARILLON_CERTIFICATE_FILE", () -> options.certificate(Path.of(certificate), Path.of(key)));
        }
    }

    private static Security security(String text) {
        for (Security security : Security.values()) {
            if (security.name().toLowerCase(Locale.ROOT).equals(text)) {
                return security;
            }
        }
        throw new IllegalArgumentException();
    }

    private static String get(Map<String, String> variables, String name, String otherwise) {
        String value = variables.get(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /**
     * An impossible value is INVALID_ARGUMENT of the variable; the message does not have the value (CONTRACT.md,
     * ENV-1).
     */
    private static <T> T named(String name, java.util.function.Supplier<T> make) {
        try {
            return make.get();
        } catch (IllegalArgumentException | CarillonException error) {
            throw CarillonException.invalid(name, "has an impossible value");
        }
    }
}
