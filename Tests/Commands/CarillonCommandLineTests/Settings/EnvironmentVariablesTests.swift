import CarillonCommandLine
import Testing

/// Environment variables with a misspelt name.
struct EnvironmentVariablesTests {
    @Test(arguments: [
        ("CARILLON_SEVER", "CARILLON_SERVER"), ("CARILLON_API_KEYFILE", "CARILLON_API_KEY_FILE"),
        ("CARILLON_APPP", "CARILLON_APP"), ("CARILLON_CLI_CONFG", "CARILLON_CLI_CONFIG"),
    ])
    func aMisspeltVariableIsRefused(_ name: String, _ meant: String) {
        let typo = EnvironmentVariables.typo(in: ["PATH", name])
        #expect(typo == "\(name) is not an environment variable of this program. Did you mean \(meant)?")
    }

    /// Variables of the program, settings of the server, what Kubernetes sets for a service, what a test run sets.
    @Test(arguments: [
        "CARILLON_SERVER", "CARILLON_CONFIG", "CARILLON_LISTEN_PORT", "CARILLON_PORT", "CARILLON_APPS_FILE",
        "CARILLON_SERVICE_HOST", "CARILLON_PROGRAMS", "CARILLON_SEED", "SEVER",
    ])
    func aVariableOfAnotherProgramIsNoTypo(_ name: String) {
        #expect(EnvironmentVariables.typo(in: ["PATH", name]) == nil)
    }
}
