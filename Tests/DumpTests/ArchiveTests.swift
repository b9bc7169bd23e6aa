import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import Testing

@testable import carillon_dump

struct ArchiveTests {
}
