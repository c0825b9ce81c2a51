export interface ChaosSettings {
  readonly worker: number;
  readonly brokers: string[];
  readonly databaseUrl: string;
  readonly topic: string;
  readonly groupId: string;
  readonly scope: string;
}
