import Testing

@testable import CarillonServer

/// The files of a deployment, read and checked together.
struct DeploymentReaderTests {
    @Test func `the problems of all files are found`() throws {
        let files = try DeploymentFiles()
        try files.write("apps.json", "not JSON")
        try files.write("principals.json", "not JSON")
        let reader = DeploymentReader(try files.settings())
        let deployment = reader.read()
        #expect(deployment == nil)
        #expect(reader.problems.map(\.place) == [files.path("apps.json"), files.path("principals.json")])
    }
}
